import { onTestFinished, vi } from 'vitest';

/** The window of a page, with its `localStorage`. */
export interface Page {
  readonly storage: Map<string, string>;
  /** Dispatches an event of the window. */
  dispatch(name: string, fields?: object): void;
}

/** Puts a window in place of Node's globals until the test ends. With `isDeaf` it has channels that deliver nothing. */
export function createPage({ isDeaf = false } = {}): Page {
  const target = new EventTarget();
  const storage = new Map<string, string>();
  for (const name of ['addEventListener', 'removeEventListener'] as const) {
    vi.stubGlobal(name, target[name].bind(target));
  }
  vi.stubGlobal('document', {});
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
    removeItem: (key: string) => void storage.delete(key),
  });
  if (isDeaf) {
    vi.stubGlobal(
      'BroadcastChannel',
      class {
        postMessage() {}
        close() {}
      },
    );
  }
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    storage,
    dispatch: (name, fields = {}) => void target.dispatchEvent(Object.assign(new Event(name), fields)),
  };
}
