import { readTimes } from '../jwt/token-text.js';

/** How long and how many answers a guard keeps. */
export interface MemoryLimits {
  readonly ttlMs: number;
  readonly max: number;
}

interface Kept {
  readonly value: unknown;
  readonly from: number;
  readonly until: number;
}

/** What is asked about a token, and whether the answer may be kept. */
interface Ask<T> {
  readonly ask: () => Promise<T>;
  readonly keeps: (answer: T) => boolean;
}

/**
 * Answers to questions that were asked before. Questions that are asked together share one answer; with limits answers
 * are kept beyond it, by a digest of token and question, never longer than the token is valid. Failures are never kept.
 */
export class Memory {
  readonly #limits: MemoryLimits | undefined;
  readonly #now: () => number;
  readonly #tick = new Map<string, Promise<unknown>>();
  readonly #kept = new Map<string, Kept>();

  constructor(limits: MemoryLimits | undefined, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** The answer to a question about a token: the kept one, that of an equal question of this tick, or a new one. */
  answer<T>(token: string, question: string, ask: Ask<T>): Promise<T> {
    // A token holds no line end.
    const key = `${token}\n${question}`;
    // The cast: a question always has answers of one type.
    const asked = this.#tick.get(key) as Promise<T> | undefined;
    if (asked !== undefined) return asked;
    // A microtask, because what waits for a timer of one request is lost where the platform ends work with that request
    // (Workers).
    if (this.#tick.size === 0) queueMicrotask(() => this.#tick.clear());
    const answer = this.#limits === undefined ? ask.ask() : this.#recall(this.#limits, token, key, ask);
    this.#tick.set(key, answer);
    return answer;
  }

  async #recall<T>(limits: MemoryLimits, token: string, question: string, { ask, keeps }: Ask<T>): Promise<T> {
    const key = await digest(question);
    const known = this.#kept.get(key);
    const now = this.#now();
    // The cast: as above. A clock that was set back makes nothing older.
    if (known !== undefined && known.from <= now && now < known.until) return known.value as T;
    const value = await ask();
    this.#kept.delete(key);
    if (!keeps(value)) return value;
    const { expiresAt } = readTimes(token);
    const until = Math.min(now + limits.ttlMs, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
    this.#kept.set(key, { value, from: now, until });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= limits.max) break;
      this.#kept.delete(oldest);
    }
    return value;
  }
}

/** Tokens are not kept beyond their request: what is kept goes by its SHA-256. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return String.fromCharCode(...new Uint16Array(bytes));
}
