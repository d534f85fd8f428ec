import { isHttpError } from '../../errors.js';
import type { PermissionKind } from '../model/model.js';

/** The counter of one kind, as known from own writes. */
interface Counter {
  /** The index before the first own write. */
  base: number;
  /** Own writes that were answered. */
  answered: number;
  /** The highest index that was answered. */
  highest: number;
  /** The indexes that were answered. */
  readonly own: Set<number>;
}

const newCounter = (index: number): Counter => ({ base: index, answered: 0, highest: index, own: new Set() });

/** True if a service refused a call. After other failures it may have been made. */
export const isRefused = (error: unknown): boolean => isHttpError(error) && error.status < 500;

/** The answer to a write. `isForeign`: its index shows another writer. */
interface Sent {
  readonly index: number;
  readonly isForeign: boolean;
}

/**
 * Watches the index of each kind, which grows by one with every write: a higher index than own writes explain reveals
 * another writer. While the value of the counter is not known, the first write of a kind is sent alone and shows it.
 */
export class IndexWatch {
  readonly #counters = new Map<PermissionKind, Counter>();
  readonly #inFlight = new Map<PermissionKind, number>();
  readonly #first = new Map<PermissionKind, Promise<unknown>>();

  /** Sets the value that the counter of a kind had before the first own write. */
  begin(kind: PermissionKind, index: number): void {
    if (!this.#counters.has(kind)) this.#counters.set(kind, newCounter(index));
  }

  /** Waits for a first write in flight, which shows the counter. */
  async settled(kind: PermissionKind): Promise<void> {
    await this.#first.get(kind);
  }

  /** The highest index of a kind that is known. */
  highest(kind: PermissionKind): number | undefined {
    return this.#counters.get(kind)?.highest;
  }

  /**
   * True if another writer wrote between two indexes of a kind, the first of which may be unknown. Own writes without
   * an answer may explain a gap.
   */
  isForeignBetween(kind: PermissionKind, from: number | undefined, to: number): boolean {
    const { own, base = to } = this.#counters.get(kind) ?? {};
    let unanswered = this.#inFlight.get(kind) ?? 0;
    for (let index = (from ?? base) + 1; index < to; index++) if (!own?.has(index) && unanswered-- <= 0) return true;
    return false;
  }

  /** Sends an own write. */
  async send(kind: PermissionKind, write: () => Promise<{ readonly index: number }>): Promise<Sent> {
    while (!this.#counters.has(kind)) {
      const first = this.#first.get(kind);
      if (first === undefined) break;
      await first;
    }
    if (this.#counters.has(kind)) return this.#write(kind, write);
    const first = this.#write(kind, write);
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

  async #write(kind: PermissionKind, write: () => Promise<{ readonly index: number }>): Promise<Sent> {
    const count = (by: number) => this.#inFlight.set(kind, (this.#inFlight.get(kind) ?? 0) + by);
    count(1);
    let index: number;
    try {
      ({ index } = await write());
      count(-1);
    } catch (error) {
      // Any other write that fails may have reached the service: it stays counted.
      if (isRefused(error)) count(-1);
      throw error;
    }
    const counter = this.#counters.get(kind) ?? newCounter(index - 1);
    this.#counters.set(kind, counter);
    counter.answered++;
    counter.own.add(index);
    counter.highest = Math.max(counter.highest, index);
    const explained = counter.base + counter.answered + (this.#inFlight.get(kind) ?? 0);
    return { index, isForeign: counter.highest > explained };
  }
}
