/** How long to wait between attempts. */
export interface BackoffOptions {
  readonly firstMs: number;
  /** The cap. */
  readonly longestMs: number;
  /** The share of a wait that is random, from 0 to 1. Default 0. */
  readonly jitter?: number | undefined;
  /** Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Exponential backoff with a cap and jitter. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Milliseconds until the next attempt: twice as many as before the last one, up to the cap. */
  next(): number {
    const { firstMs, longestMs, jitter = 0, random = Math.random } = this.#options;
    const ms = Math.min(longestMs, firstMs * 2 ** this.#failures++);
    return ms * (1 - jitter * random());
  }

  /** Starts over after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
