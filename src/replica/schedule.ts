import { Backoff } from '../lib/backoff.js';
import { type Instant, instant, since } from './liveness.js';

// The service may be down: a first state, or one that must be replaced, is retried soon.
const retry = { firstMs: 250, longestMs: 15_000, jitter: 0.5 };
const confirmRetry = { firstMs: 1_000, longestMs: 15_000 };
// Short enough that, including the time of the next read, a state was always read within the last minute.
const reread = { firstMs: 1_000, longestMs: 45_000 };
/** Spreads the reads of replicas that lost their connection together. */
const spreadMs = 5_000;
/** Confirming reads take at most one part in this many of the time. */
const leastShare = 200;
/** A copy that could not be read again for this long after a break is no longer live. */
const longestUnconfirmedMs = 600_000;

/** Schedules full reads. Times are those of the monotonic clock. */
export class Schedule {
  readonly #retry = new Backoff(retry);
  readonly #confirmRetry = new Backoff(confirmRetry);
  #reread = new Backoff(reread);
  readonly #random: () => number;
  /** The time of the next read, if known. */
  #dueAt: number | undefined = performance.now();
  /** True if the next read only confirms a history that the streams have confirmed already. */
  #confirms = false;
  /** The time of the first break since the last full read. */
  #unconfirmed: Instant | undefined;
  #began = instant();
  #breaksAtBegin = 0;
  #breaks = 0;
  /** The earliest time of a confirming read, unless one is required. */
  #notBefore = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Milliseconds until the next read; Infinity if none is due. */
  get waitMs(): number {
    return this.#dueAt === undefined ? Number.POSITIVE_INFINITY : this.#dueAt - performance.now();
  }

  /** False if the copy was not read again for too long after a break. */
  get confirmed(): boolean {
    return this.#unconfirmed === undefined || since(this.#unconfirmed) < longestUnconfirmedMs + 60_000;
  }

  /** Notes that a stream or the connection broke: another service may have taken over. */
  broke(): void {
    this.#breaks++;
    this.#unconfirmed ??= instant();
    // The read uses a connection whose streams were accepted.
    if (this.#confirms) this.#dueAt = undefined;
  }

  /** Notes that all streams are accepted. */
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
    // A read in flight may have the lost history.
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

  /** Notes a full read. */
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
