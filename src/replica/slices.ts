import { setImmediate } from 'node:timers/promises';

// The 2 ms budget leaves room for the last item, network work and GC.
const sliceMs = 2;

/**
 * Cuts the work of several loops into slices, all of them together, so that the event loop gets its turn in between.
 */
export class Slices {
  #ends = performance.now() + sliceMs;
  #turn: Promise<void> | undefined;

  /** Takes items one after the other, each inside a slice, with the work of an iterable that makes it just then. */
  async each<T>(items: Iterable<T>, take: (item: T) => void): Promise<void> {
    // Asked again after each turn: where several loops wait for it, the first of them may use the slice up.
    while (this.#isOver()) await this.#next();
    for (const item of items) {
      take(item);
      while (this.#isOver()) await this.#next();
    }
  }

  #isOver(): boolean {
    return performance.now() >= this.#ends;
  }

  /** The next turn of the event loop, at which a slice begins. */
  #next(): Promise<void> {
    this.#turn ??= setImmediate().then(() => {
      this.#turn = undefined;
      this.#ends = performance.now() + sliceMs;
    });
    return this.#turn;
  }
}
