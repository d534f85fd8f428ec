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

/** Milliseconds that a `Retry-After` asks for; undefined if it asks for none. */
export function readRetryAfter(header: string | null | undefined): number | undefined {
  const after = header ?? '';
  if (/^\d{1,9}$/.test(after)) return Number(after) * 1_000;
  // Date.parse would read a year in `-1` and `1.5`; an HTTP date begins with its weekday.
  const date = /^[A-Z]/i.test(after) ? Date.parse(after) - Date.now() : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date);
}

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
