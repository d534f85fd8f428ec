import { isArangoServicesError } from '../arango-services-error.js';
import { isAbortError, isTimeoutError } from '../error-guards.js';
import { waitOnce } from './wait.js';

type Flight<T> = { readonly promise: Promise<T>; readonly startedAt: number };

/**
 * True if a failure says nothing about the work itself: its first caller aborted or timed out, or the runtime would not
 * let one request wait for another (a foreign error).
 */
const isForeign = (error: unknown): boolean =>
  !isArangoServicesError(error) || isAbortError(error) || isTimeoutError(error);

/**
 * Deduplicates concurrent calls: the first starts the work, the others join it.
 *
 * The work outlives the caller that started it. In Workers a promise of a request that has ended never settles, so work
 * in flight for longer than its timeout is replaced. If the starter is aborted or times out, callers that joined go on
 * to the next attempt, their own if there is no other; every other failure rejects all of them. No caller waits for
 * others longer than twice the timeout.
 */
export class SingleFlight<T> {
  #current: Flight<T> | undefined;
  readonly #timeoutMs: number;
  readonly #now: () => number;

  /** `timeoutMs` limits one attempt. `now` is a clock in milliseconds, default monotonic. */
  constructor(timeoutMs: number, now: () => number = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** True if there is work to join. */
  get underWay(): boolean {
    return this.#current !== undefined && this.#remaining(this.#current) > 0;
  }

  /** Joins the work in flight, or starts it. */
  async run(start: () => Promise<T>): Promise<T> {
    const joinedAt = this.#now();
    for (;;) {
      const flight = this.#current;
      const remaining = flight === undefined ? 0 : this.#remaining(flight);
      if (flight === undefined || remaining <= 0) return this.#begin(start);
      // The signal of `wait` ends the waiting; if that wins the race, the result is `wait`.
      const wait = new AbortController();
      try {
        const first = await Promise.race([flight.promise, waitOnce(remaining, [wait.signal]).then(() => wait)]);
        if (first !== wait) return first as T;
        this.#clear(flight);
      } catch (error) {
        // A caller that waited the full timeout fails, too.
        if (!isForeign(error) || this.#now() - joinedAt >= this.#timeoutMs) throw error;
      } finally {
        wait.abort();
      }
    }
  }

  #remaining({ startedAt }: Flight<T>): number {
    return startedAt + this.#timeoutMs - this.#now();
  }

  #begin(start: () => Promise<T>): Promise<T> {
    const flight = { promise: start(), startedAt: this.#now() };
    this.#current = flight;
    // Registered before any caller joins, so a caller that sees the end does not find this flight again.
    const clear = () => this.#clear(flight);
    flight.promise.then(clear, clear);
    return flight.promise;
  }

  /** Clears this flight only: another may have replaced it. */
  #clear(flight: Flight<T>): void {
    if (this.#current === flight) this.#current = undefined;
  }
}
