import { readTimes } from '../jwt/token-text.js';

/** How long and how many answers a guard keeps. */
export interface MemoryLimits {
  readonly ttlMs: number;
  readonly max: number;
}

interface Kept {
  readonly value: unknown;
  readonly until: number;
}

/**
 * Answers to questions that were asked before. Questions that are asked in the same tick share one answer; with limits answers are
 * kept beyond it, by a digest of the token, never longer than the token is valid. Failures are never kept.
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

  /** The answer to a question about a token: the kept one, that of an equal question of this tick, or what `ask` gives. */
  answer<T>(token: string, question: string, ask: () => Promise<T>): Promise<T> {
    const key = JSON.stringify([token, question]);
    // The cast: a question always has answers of one type.
    const asked = this.#tick.get(key) as Promise<T> | undefined;
    if (asked !== undefined) return asked;
    const answer = this.#limits === undefined ? ask() : this.#remember(this.#limits, token, question, ask);
    this.#tick.set(key, answer);
    setTimeout(() => this.#tick.delete(key), 0);
    return answer;
  }

  async #remember<T>(limits: MemoryLimits, token: string, question: string, ask: () => Promise<T>): Promise<T> {
    const key = `${await digest(token)} ${question}`;
    const known = this.#kept.get(key);
    // The cast: as above.
    if (known !== undefined && this.#now() < known.until) return known.value as T;
    const askedAt = this.#now();
    const value = await ask();
    const { expiresAt } = readTimes(token);
    const until = Math.min(askedAt + limits.ttlMs, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
    this.#kept.delete(key);
    this.#kept.set(key, { value, until });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= limits.max) break;
      this.#kept.delete(oldest);
    }
    return value;
  }
}

/** Tokens are not kept in memory beyond their request: what is kept goes by their SHA-256. */
async function digest(token: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return String.fromCharCode(...new Uint16Array(bytes));
}
