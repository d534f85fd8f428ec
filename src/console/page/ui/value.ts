import { useEffect, useState } from 'preact/hooks';

/** A value that components can watch. */
export interface Value<T> {
  get(): T;
  set(next: T): void;
  /** @returns a function that removes the listener. */
  watch(listener: () => void): () => void;
}

export function createValue<T>(first: T): Value<T> {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(next) {
      if (Object.is(next, current)) return;
      current = next;
      for (const listener of [...listeners]) listener();
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Reads a value, and renders again when it changes. */
export function useValue<T>(value: Value<T>): T {
  const [, render] = useState({});
  const current = value.get();
  useEffect(() => {
    const update = () => render({});
    // The value may have changed between the render and this effect.
    if (!Object.is(current, value.get())) update();
    return value.watch(update);
  }, [value]);
  return current;
}
