/** Controls that take the focus. */
const usable =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]:not(:disabled)';

/** An element and its ancestors, nearest first; it can be removed while they stay. Empty for the body. */
export function pathOf(element: Element | null): readonly HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let at = element; at instanceof HTMLElement && at !== document.body; at = at.parentElement) path.push(at);
  return path;
}

/** Focuses an element or, if it is gone or disabled, the first control of its nearest ancestor that has one. */
export function focusNear(path: readonly HTMLElement[]): void {
  for (const place of path) {
    if (!place.isConnected) continue;
    const control = place.matches(usable) ? place : place.querySelector<HTMLElement>(usable);
    control?.focus();
    if (control !== null && document.activeElement === control) return;
  }
}

/**
 * Moves the focus to a control nearby when its own is removed, such as the last "Show more" of a list. The browser
 * would begin again at the top of the page.
 * @returns a function that ends it.
 */
export function keepFocus(): () => void {
  let path: readonly HTMLElement[] = [];
  const enter = ({ target }: FocusEvent) => {
    path = pathOf(target instanceof Element ? target : null);
  };
  // A person who clicks beside all controls leaves them. A browser may fire the event for a removal, too.
  const leave = ({ relatedTarget }: FocusEvent) => {
    const [last] = path;
    if (relatedTarget !== null || last === undefined) return;
    queueMicrotask(() => {
      if (path[0] === last && last.isConnected && document.activeElement !== last) path = [];
    });
  };
  const observer = new MutationObserver(() => {
    const [last] = path;
    if (last === undefined || last.isConnected) return;
    if (document.activeElement === null || document.activeElement === document.body) focusNear(path.slice(1));
  });
  document.addEventListener('focusin', enter);
  document.addEventListener('focusout', leave);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', enter);
    document.removeEventListener('focusout', leave);
    observer.disconnect();
  };
}
