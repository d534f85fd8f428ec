/**
 * Milliseconds until the next attempt after some failures: doubled for each, up to a cap, less a random share.
 *
 * @param jitter the share of a wait that is random, from 0 to 1.
 */
export const backoffMs = (
  failures: number,
  firstMs: number,
  longestMs: number,
  jitter = 0,
  random: () => number = Math.random,
): number => Math.min(longestMs, firstMs * 2 ** failures) * (1 - jitter + jitter * random());

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
    const { firstMs, longestMs, jitter, random } = this.#options;
    return backoffMs(this.#failures++, firstMs, longestMs, jitter, random);
  }

  /** Starts over after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
