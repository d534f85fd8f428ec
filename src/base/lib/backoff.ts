/** Milliseconds before the next attempt: doubled for each failure, up to a cap, less a random share (0 to 1). */
export const backoffMs = (
  failures: number,
  firstMs: number,
  longestMs: number,
  jitter = 0,
  random: () => number = Math.random,
): number => Math.min(longestMs, firstMs * 2 ** failures) * (1 - jitter + jitter * random());

/** Parses a `Retry-After` to milliseconds; undefined if it is absent or invalid. */
export function readRetryAfter(header: string | null | undefined): number | undefined {
  const after = String(header);
  // Date.parse would read a year in `-1` and `1.5`; an HTTP date begins with its weekday, and asctime has no zone.
  const ms = /^\d+$/.test(after)
    ? Number(after) * 1_000
    : Math.max(0, Date.parse(`${after.replace(/^[^A-Z].*| GMT$/is, '')} GMT`) - Date.now());
  return ms >= 0 ? ms : undefined;
}

/** The delays between attempts. */
export interface BackoffOptions {
  readonly firstMs: number;
  /** The cap. */
  readonly longestMs: number;
  /** The random share of a delay, from 0 to 1. Default 0. */
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

  /** Returns the delay before the next attempt in milliseconds: twice the last one, up to the cap. */
  next(): number {
    const { firstMs, longestMs, jitter, random } = this.#options;
    return backoffMs(this.#failures++, firstMs, longestMs, jitter, random);
  }

  /** Starts over after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
