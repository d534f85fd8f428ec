import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { focusNear, pathOf } from './keep-focus.js';

interface DialogProps {
  readonly title: string;
  onClose(): void;
  readonly children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus inside, Escape closes it, and the focus returns to or near its place. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = pathOf(document.activeElement);
    element.current?.showModal();
    heading.current?.focus();
    // Nothing outside takes the focus before the dialog is gone.
    return () => queueMicrotask(() => focusNear(before));
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <div class="dialog">
        <div class="row">
          <h2 id={id} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <button type="button" class="push" onClick={() => element.current?.close()}>
            Close
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
