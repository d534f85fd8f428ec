import type { Clock } from '../connection/credentials-contract.js';

/**
 * The order in which addresses are asked. One is in use for as long as it works; after a pause the first one is asked
 * again, by one request: a read, because a write does not move after a 503, or a write if a second pause has no read.
 */
export class AddressOrder {
  readonly #count: number;
  readonly #returnAfterMs: number;
  readonly #clock: Clock;
  #inUse = 0;
  /** The time at which the first address is asked again; Infinity while it is in use. */
  #returnAt = Number.POSITIVE_INFINITY;

  constructor(count: number, returnAfterMs: number, clock: Clock) {
    this.#count = count;
    this.#returnAfterMs = returnAfterMs;
    this.#clock = clock;
  }

  /** The indexes of the addresses for one request, each once. */
  next(isRead: boolean): readonly number[] {
    const others = Array.from({ length: this.#count }, (_, offset) => (this.#inUse + offset) % this.#count);
    if (this.#clock.now() < this.#returnAt + (isRead ? 0 : this.#returnAfterMs)) return others;
    this.#returnAt = this.#clock.now() + this.#returnAfterMs;
    return [0, ...others.filter((index) => index !== 0)];
  }

  /** An address answered; `hasMoved` is true if another one was asked before it. */
  answered(index: number, hasMoved: boolean): void {
    if (hasMoved || index === 0) this.#use(index);
  }

  /** An address failed: the next request begins with the one after it. */
  failed(index: number): void {
    if (index === this.#inUse) this.#use((index + 1) % this.#count);
  }

  #use(index: number): void {
    if (index === this.#inUse) return;
    this.#inUse = index;
    this.#returnAt = index === 0 ? Number.POSITIVE_INFINITY : this.#clock.now() + this.#returnAfterMs;
  }
}
