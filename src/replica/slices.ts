import { setImmediate } from 'node:timers/promises';

// What comes on top of it: a message is decoded as a whole, and garbage is collected.
const sliceMs = 4;

/**
 * Cuts the work of several loops into slices, all of them together, so that the event loop gets its turn in between.
 */
export class Slices {
  #ends = performance.now() + sliceMs;
  #turn: Promise<void> | undefined;

  /** To be awaited after each piece of work where it is a promise; undefined while the slice lasts. */
  next(): Promise<void> | undefined {
    if (performance.now() < this.#ends) return undefined;
    this.#turn ??= setImmediate().then(() => {
      this.#turn = undefined;
      this.#ends = performance.now() + sliceMs;
    });
    return this.#turn;
  }
}
