import { useSyncExternalStore } from 'react';
import { messageFor } from './messages.ts';

let toasts: readonly string[] = [];
const listeners = new Set<() => void>();

function change(next: readonly string[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Shows a text until the user dismisses it; the same text once. */
export const toast = (text: string) => change([...toasts.filter((other) => other !== text), text]);

/** Shows what an error means for the user. */
export const toastError = (error: unknown) => toast(messageFor(error));

export const dismissToasts = () => change([]);

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div role="status">
      {shown.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {shown.length > 0 && (
        <button type="button" onClick={dismissToasts}>
          Dismiss
        </button>
      )}
    </div>
  );
}
