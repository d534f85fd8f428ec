import type { Seen } from './log-types.js';

/** Counts decisions, and keeps their first and last time. */
export class Tally {
  count = 0;
  firstSeen: string | undefined;
  lastSeen: string | undefined;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** Adds a decision. `ms` is its time in milliseconds. */
  add(time: string, ms: number): void {
    this.count += 1;
    this.#extend(time, ms);
  }

  merge(other: Tally): void {
    this.count += other.count;
    if (other.firstSeen !== undefined) this.#extend(other.firstSeen, other.#first);
    if (other.lastSeen !== undefined) this.#extend(other.lastSeen, other.#last);
  }

  #extend(time: string, ms: number): void {
    if (ms < this.#first) {
      this.firstSeen = time;
      this.#first = ms;
    }
    if (ms > this.#last) {
      this.lastSeen = time;
      this.#last = ms;
    }
  }

  /** The first time in milliseconds; infinite without decisions. */
  get firstMs(): number {
    return this.#first;
  }

  get seen(): Seen {
    const { count, firstSeen, lastSeen } = this;
    return { count, firstSeen, lastSeen };
  }
}

/** Sums decisions up. */
export function sum(tallies: Iterable<Tally>): Tally {
  const total = new Tally();
  for (const tally of tallies) total.merge(tally);
  return total;
}
