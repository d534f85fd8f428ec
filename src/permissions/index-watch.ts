import type { PermissionKind } from './model.js';

/** The counter of one kind, as known from own writes. */
interface Counter {
  /** The index before the first own write. */
  base: number;
  /** Own writes that were answered. */
  answered: number;
  /** The highest index that was answered. */
  highest: number;
}

/**
 * Watches the index of each kind, which grows by one with every write: a higher index than own writes explain reveals
 * another writer. The first write of a kind is sent alone, because it shows the value of the counter.
 */
export class IndexWatch {
  readonly #counters = new Map<PermissionKind, Counter>();
  readonly #inFlight = new Map<PermissionKind, number>();
  readonly #first = new Map<PermissionKind, Promise<unknown>>();

  /** Sends an own write. `onForeign` is called if its index shows another writer. */
  async send<T extends { readonly index: number }>(
    kind: PermissionKind,
    write: () => Promise<T>,
    onForeign: () => never,
  ): Promise<T> {
    while (!this.#counters.has(kind)) {
      const first = this.#first.get(kind);
      if (first === undefined) break;
      await first;
    }
    if (this.#counters.has(kind)) return this.#write(kind, write, onForeign);
    const first = this.#write(kind, write, onForeign);
    const ended = first.then(
      () => undefined,
      () => undefined,
    );
    this.#first.set(kind, ended);
    try {
      return await first;
    } finally {
      this.#first.delete(kind);
    }
  }

  async #write<T extends { readonly index: number }>(
    kind: PermissionKind,
    write: () => Promise<T>,
    onForeign: () => never,
  ): Promise<T> {
    const count = (by: number) => this.#inFlight.set(kind, (this.#inFlight.get(kind) ?? 0) + by);
    count(1);
    // A write that fails may have reached the service: it stays counted.
    const answer = await write();
    count(-1);
    const counter = this.#counters.get(kind) ?? { base: answer.index - 1, answered: 0, highest: 0 };
    this.#counters.set(kind, counter);
    counter.answered++;
    counter.highest = Math.max(counter.highest, answer.index);
    const explained = counter.base + counter.answered + (this.#inFlight.get(kind) ?? 0);
    if (counter.highest > explained) onForeign();
    return answer;
  }
}
