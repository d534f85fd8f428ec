import { isHttpError } from '../../base/errors.js';
import type { PermissionKind } from '../model/model.js';

/** The index of one kind, as derived from the responses to own writes. */
interface Counter {
  /** The index before the first own write. */
  base: number;
  /** The number of own writes with a response. */
  answered: number;
  /** The highest index in a response. */
  highest: number;
  /** All indexes in responses. */
  readonly ownWrites: Set<number>;
}

const newCounter = (index: number): Counter => ({ base: index, answered: 0, highest: index, ownWrites: new Set() });

/** True if a service refused a call. After any other failure the call may have taken effect. */
export const isRefused = (error: unknown): boolean => isHttpError(error) && error.status < 500;

/** The response to a write. `isForeign`: its index reveals another writer. */
interface Sent {
  readonly index: number;
  readonly isForeign: boolean;
}

/**
 * Watches the index of each kind, which grows by one with every write: growth by more than the number of own writes
 * reveals another writer. Until the index is known, the first write of a kind is sent alone, and its response tells the
 * index.
 */
export class IndexWatch {
  readonly #counters = new Map<PermissionKind, Counter>();
  readonly #inFlight = new Map<PermissionKind, number>();
  readonly #first = new Map<PermissionKind, Promise<unknown>>();

  /** Sets the index of a kind before the first own write. */
  begin(kind: PermissionKind, index: number): void {
    if (!this.#counters.has(kind)) this.#counters.set(kind, newCounter(index));
  }

  /** Waits for the response to a first write, which tells the index. */
  async settled(kind: PermissionKind): Promise<void> {
    await this.#first.get(kind);
  }

  highest(kind: PermissionKind): number | undefined {
    return this.#counters.get(kind)?.highest;
  }

  /**
   * True if another writer wrote between two indexes of a kind; the first may be unknown. Own writes without a response
   * may explain a gap.
   */
  isForeignBetween(kind: PermissionKind, from: number | undefined, to: number): boolean {
    const { ownWrites, base = to } = this.#counters.get(kind) ?? {};
    let unanswered = this.#inFlight.get(kind) ?? 0;
    for (let index = (from ?? base) + 1; index < to; index++)
      if (!ownWrites?.has(index) && unanswered-- <= 0) return true;
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
      // After any other failure the write may have reached the service, so it still counts.
      if (isRefused(error)) count(-1);
      throw error;
    }
    const counter = this.#counters.get(kind) ?? newCounter(index - 1);
    this.#counters.set(kind, counter);
    counter.answered++;
    counter.ownWrites.add(index);
    counter.highest = Math.max(counter.highest, index);
    const explained = counter.base + counter.answered + (this.#inFlight.get(kind) ?? 0);
    return { index, isForeign: counter.highest > explained };
  }
}
