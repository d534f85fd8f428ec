import { Backoff } from '../lib/backoff.js';
import { type Instant, instant, since } from './liveness.js';

// The service may be away: a first state, or one that must be replaced, is read again soon.
const retry = { firstMs: 250, longestMs: 15_000, jitter: 0.5 };
const confirmRetry = { firstMs: 1_000, longestMs: 15_000 };
// Short enough that, with the time that the next read takes, a state was always read within the last minute.
const reread = { firstMs: 1_000, longestMs: 45_000 };
/** Replicas that lost their connection together do not read together. */
const spreadMs = 5_000;
/** Reading to confirm takes at most one part in so many of the time. */
const leastShare = 200;
/** A copy that was not read again for so long after a break counts no more. */
const longestUnconfirmedMs = 600_000;

/** Decides when the whole state is read. Times are those of the monotonic clock. */
export class Schedule {
  readonly #retry = new Backoff(retry);
  readonly #confirmRetry = new Backoff(confirmRetry);
  #reread = new Backoff(reread);
  readonly #random: () => number;
  /** When the next read begins, if that is known. */
  #dueAt: number | undefined = performance.now();
  /** True if the next read only confirms what the streams have shown to be the same history. */
  #confirms = false;
  /** Since when there is a break after which the state was not read again. */
  #unconfirmed: Instant | undefined;
  #began = instant();
  #breaksAtBegin = 0;
  #breaks = 0;
  /** Before this time no read confirms, unless it has to. */
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

  /** A stream, or the connection, broke: another service may have taken over. */
  broke(): void {
    this.#breaks++;
    this.#unconfirmed ??= instant();
    // It is read over a connection whose streams were accepted.
    if (this.#confirms) this.#dueAt = undefined;
  }

  /** All streams are accepted. */
  accepted(): void {
    if (this.#unconfirmed === undefined || this.#dueAt !== undefined) return;
    const now = performance.now();
    const latest = this.#unconfirmed.mono + longestUnconfirmedMs;
    const soon = now + spreadMs * this.#random();
    this.#dueAt = Math.max(soon, Math.min(this.#notBefore, latest));
    this.#confirms = true;
  }

  /**
   * Everything has to be read again.
   * @param again how often that was so without anything followed in between: at once the first time, later each time
   * after it, because it may not help.
   */
  lost(again: number): void {
    // A read in flight may show the lost history.
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

  /** A state was read. */
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
