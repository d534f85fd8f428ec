import { Backoff } from '../../base/lib/backoff.js';
import { type Instant, instant, since } from './liveness.js';

// Retries for a missing or refuted state. They begin soon, because decisions wait for it.
const retry = { firstMs: 250, longestMs: 15_000, jitter: 0.5 };
const confirmRetry = { firstMs: 1_000, longestMs: 15_000 };
// The intervals of repeated reads: short enough that, including the time of a read, the last one always began within a
// minute.
const reread = { firstMs: 1_000, longestMs: 45_000 };
/** Spreads the reads of many replicas that lost their connections at the same time. */
const spreadMs = 5_000;
/** Reads that only confirm the state may take at most 1/200 of the time. */
const leastShare = 200;
/** After a break, a copy that could not be read again for this long is no longer live. */
const longestUnconfirmedMs = 600_000;

/** Schedules full reads. Times are on the monotonic clock. */
export class Schedule {
  readonly #retry = new Backoff(retry);
  readonly #confirmRetry = new Backoff(confirmRetry);
  #reread = new Backoff(reread);
  readonly #random: () => number;
  /** The time of the next read, if known. */
  #dueAt: number | undefined = performance.now();
  /** True if the next read only confirms what the streams have already confirmed. */
  #confirms = false;
  /** The time of the first break since the last full read. */
  #unconfirmed: Instant | undefined;
  #began = instant();
  #breaksAtBegin = 0;
  #breaks = 0;
  /** The earliest time of a read that only confirms the state. */
  #notBefore = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Milliseconds until the next read; Infinity if none is scheduled. */
  get waitMs(): number {
    return this.#dueAt === undefined ? Number.POSITIVE_INFINITY : this.#dueAt - performance.now();
  }

  /** False if after a break the copy was not read again in time. */
  get confirmed(): boolean {
    return this.#unconfirmed === undefined || since(this.#unconfirmed) < longestUnconfirmedMs + 60_000;
  }

  /** Records that a stream or the connection broke: it may lead to another service now. */
  broke(): void {
    this.#breaks++;
    this.#unconfirmed ??= instant();
    // A read that only confirms waits until all streams are accepted again: `accepted` schedules that read.
    if (this.#confirms) this.#dueAt = undefined;
  }

  /** Records that all streams are accepted. */
  accepted(): void {
    if (this.#unconfirmed === undefined || this.#dueAt !== undefined) return;
    const now = performance.now();
    const latest = this.#unconfirmed.mono + longestUnconfirmedMs;
    const soon = now + spreadMs * this.#random();
    this.#dueAt = Math.max(soon, Math.min(this.#notBefore, latest));
    this.#confirms = true;
  }

  /**
   * Requires a full read.
   * @param again the number of full reads required in a row without following: the first is at once, later ones back
   * off, because reading may not help.
   */
  lost(again: number): void {
    // A read in flight may return the history that was lost.
    this.#breaks++;
    this.#unconfirmed ??= instant();
    if (again <= 1) this.#reread = new Backoff(reread);
    const dueAt = performance.now() + (again <= 1 ? 0 : this.#reread.next());
    this.#dueAt = this.#confirms ? dueAt : Math.min(dueAt, this.#dueAt ?? dueAt);
    this.#confirms = false;
  }

  began(): void {
    this.#dueAt = undefined;
    this.#began = instant();
    this.#breaksAtBegin = this.#breaks;
  }

  /** Records that a full read completed. */
  done(): void {
    this.#retry.reset();
    this.#confirmRetry.reset();
    this.#unconfirmed = this.#breaks === this.#breaksAtBegin ? undefined : this.#began;
    if (!this.#confirms) return;
    this.#dueAt = undefined;
    this.#confirms = false;
    const now = performance.now();
    this.#notBefore = now + leastShare * (now - this.#began.mono);
  }

  failed(allAccepted: boolean): void {
    const backoff = this.#confirms ? this.#confirmRetry : this.#retry;
    this.#dueAt = this.#confirms && !allAccepted ? undefined : performance.now() + backoff.next();
  }
}
