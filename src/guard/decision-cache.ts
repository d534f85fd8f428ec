import { readTimes } from '../jwt/token-text.js';

/** How long a guard keeps decisions, and how many. */
export interface CacheLimits {
  readonly ttlMs: number;
  readonly max: number;
}

interface CacheEntry {
  readonly value: unknown;
  readonly from: number;
  readonly until: number;
}

/** A question about a token. */
interface Ask<T> {
  readonly ask: () => Promise<T>;
  /** True for an answer that may be kept; without it none is. */
  readonly keeps?: ((answer: T) => boolean) | undefined;
}

/**
 * Remembers decisions, and whom tokens belong to. Equal questions of one tick share one request. With limits, answers
 * are kept for later questions too: by a digest of token and question, and never longer than the token is valid.
 * Failures are never kept.
 */
export class DecisionCache {
  readonly #limits: CacheLimits | undefined;
  readonly #now: () => number;
  readonly #ofThisTick = new Map<string, Promise<unknown>>();
  readonly #kept = new Map<string, CacheEntry>();

  constructor(limits: CacheLimits | undefined, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Gives the answer to a question about a token: a kept one, that of an equal question of this tick, or a new one. */
  get<T>(token: string, question: string, { ask, keeps }: Ask<T>): Promise<T> {
    // A token holds no line end.
    const key = `${token}\n${question}`;
    // The cast: a question always has answers of one type.
    const asked = this.#ofThisTick.get(key) as Promise<T> | undefined;
    if (asked !== undefined) return asked;
    // A microtask and not a timer: in Workers a timer ends with the request that started it.
    if (this.#ofThisTick.size === 0) queueMicrotask(() => this.#ofThisTick.clear());
    const limits = keeps && this.#limits;
    const answer = limits ? this.#getKept(limits, token, key, ask, keeps) : ask();
    this.#ofThisTick.set(key, answer);
    return answer;
  }

  async #getKept<T>(
    limits: CacheLimits,
    token: string,
    question: string,
    ask: () => Promise<T>,
    keeps: (answer: T) => boolean,
  ): Promise<T> {
    const key = await digest(question);
    const known = this.#kept.get(key);
    const now = this.#now();
    // The cast: as above. If the clock was set back, an entry of its future does not count.
    if (known !== undefined && known.from <= now && now < known.until) return known.value as T;
    const value = await ask();
    this.#kept.delete(key);
    if (!keeps(value)) return value;
    const { expiresAt } = readTimes(token);
    // The services count whole seconds of `exp`.
    const expires = Math.floor((expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) / 1000) * 1000;
    const until = Math.min(now + limits.ttlMs, expires);
    this.#kept.set(key, { value, from: now, until });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= limits.max) break;
      this.#kept.delete(oldest);
    }
    return value;
  }
}

/** The key of an entry: the SHA-256 of token and question, so that no token is kept beyond its request. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return String.fromCharCode(...new Uint16Array(bytes));
}
