import { quietly } from '../../base/lib/quietly.js';
import { race } from '../../base/lib/wait.js';

/** A custom store for sessions. Its methods may be asynchronous, and may fail. */
export interface SessionStore {
  /** Reads a text; null or undefined if there is none. */
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  /** Writes a text. */
  set(key: string, value: string): unknown;
  /** Removes a text, if there is one. */
  delete(key: string): unknown;
}

export const storeNames = ['memory', 'sessionStorage', 'localStorage'] as const;

/** A store that takes longer counts as failing, so that callers do not wait forever. */
const patienceMs = 5_000;

/** The name of a store. */
export type StoreName = (typeof storeNames)[number];

/** Looks up a store of the browser at each use: reading the property throws if the browser blocks it. */
function platformStore(name: StoreName): SessionStore {
  // The cast: outside of browsers, and for `memory`, the property is missing; using it throws, which counts as a
  // failing store.
  const area = () => (globalThis as unknown as Record<StoreName, Storage>)[name];
  return {
    get: (key) => area().getItem(key),
    set: (key, value) => area().setItem(key, value),
    delete: (key) => area().removeItem(key),
  };
}

/** Wraps a store: failures become return values, and operations run one after the other. */
export class Shelf {
  /** True if other tabs can read what this tab writes. */
  readonly isShared: boolean;
  readonly #store: SessionStore;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: StoreName | SessionStore) {
    this.#store = typeof store === 'string' ? platformStore(store) : store;
    this.isShared = typeof store !== 'string' || store === 'localStorage';
  }

  /** Reads a text: null if there is none, undefined if the store fails. */
  read(key: string): Promise<string | null | undefined> {
    return this.#run(async () => (await this.#store.get(key)) ?? null);
  }

  /** Writes a text. If the store fails, removes the former text and returns false. */
  async write(key: string, text: string): Promise<boolean> {
    const isWritten = await this.#run(async () => {
      await this.#store.set(key, text);
      return true;
    });
    if (!isWritten) await this.remove(key);
    return isWritten === true;
  }

  remove(key: string): Promise<unknown> {
    return this.#run(() => this.#store.delete(key));
  }

  #run<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    const done = this.#last.then(() => quietly(work));
    // The queue ignores the time limit, so that a late operation of a slow store cannot overtake the next one.
    this.#last = done;
    return quietly(() => race(done, { ms: patienceMs }));
  }
}
