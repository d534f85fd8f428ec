import { readTimes } from '../../base/jwt/token-text.js';

/** The limits of a guard's cache. */
export type CacheLimits = { readonly ttlMs: number; readonly max: number };

type CacheEntry = { readonly value: unknown; readonly from: number; readonly until: number };

/** A question about a token. */
interface Ask<T> {
  readonly ask: () => Promise<T>;
  /** True for an answer that may be cached; without it, no answer is. */
  readonly keeps?: ((answer: T) => boolean) | undefined;
}

/**
 * Caches decisions and the owners of tokens. Equal questions in one tick share one request. With limits, answers are
 * also kept for later: keyed by a digest of token and question, and never beyond the token's expiry. Failures are never
 * cached.
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

  /** Answers a question about a token: from the cache, from an equal question in this tick, or by `ask`. */
  get<T>(token: string, question: string, asking: Ask<T>): Promise<T> {
    // Tokens contain no line breaks, so the key is unambiguous.
    const key = `${token}\n${question}`;
    // The cast: equal keys have answers of the same type.
    const promise = this.#ofThisTick.get(key) as Promise<T> | undefined;
    if (promise !== undefined) return promise;
    // A microtask and not a timer: in Workers a timer ends with the request that started it.
    if (this.#ofThisTick.size === 0) queueMicrotask(() => this.#ofThisTick.clear());
    const answer = this.#limits && asking.keeps ? this.#getKept(this.#limits, token, key, asking) : asking.ask();
    this.#ofThisTick.set(key, answer);
    return answer;
  }

  async #getKept<T>(limits: CacheLimits, token: string, question: string, { ask, keeps }: Ask<T>): Promise<T> {
    const key = await digest(question);
    const entry = this.#kept.get(key);
    const now = this.#now();
    // The cast: as above. Ignores an entry from the future: the clock was set back.
    if (entry !== undefined && entry.from <= now && now < entry.until) return entry.value as T;
    const value = await ask();
    this.#kept.delete(key);
    if (!keeps?.(value)) return value;
    const { expiresAt } = readTimes(token);
    // The services truncate `exp` to whole seconds.
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

/** The key of an entry: the SHA-256 of token and question, so that the cache holds no tokens. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return String.fromCharCode(...new Uint16Array(bytes));
}
