import { setImmediate } from 'node:timers/promises';

// The 2 ms budget leaves room for the last item, network work and GC.
const sliceMs = 2;

/** Splits the work of several loops into common time slices, so that the event loop can run in between. */
export class Slices {
  #ends = performance.now() + sliceMs;
  #turn: Promise<void> | undefined;

  /** Passes each item to `take`, inside a slice; a lazy iterable also computes its items inside the slice. */
  async each<T>(items: Iterable<T>, take: (item: T) => void): Promise<void> {
    // Checked again after waiting: if several loops wait, the first may use up the slice.
    while (this.#isOver()) await this.#next();
    for (const item of items) {
      take(item);
      while (this.#isOver()) await this.#next();
    }
  }

  #isOver(): boolean {
    return performance.now() >= this.#ends;
  }

  /** Resolves in the next turn of the event loop, which begins a new slice. */
  #next(): Promise<void> {
    this.#turn ??= setImmediate().then(() => {
      this.#turn = undefined;
      this.#ends = performance.now() + sliceMs;
    });
    return this.#turn;
  }
}
