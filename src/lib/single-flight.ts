import { isAbortError, isArangoServicesError, isTimeoutError } from '../errors.js';

interface Flight<T> {
  readonly promise: Promise<T>;
  readonly startedAt: number;
}

const overdue = /* @__PURE__ */ Symbol('overdue');

/** Settles as `promise` does, or rejects with `overdue` after `ms` milliseconds. */
function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, ms, overdue);
    const settle =
      <A>(settled: (value: A) => void) =>
      (value: A) => {
        clearTimeout(timer);
        settled(value);
      };
    promise.then(settle(resolve), settle(reject));
  });
}

/**
 * Whether a failure says nothing about the work: somebody gave up, a caller by its signal or a clock, or the platform
 * would not let one request wait for another (an error that is not this package's).
 */
const isForeign = (error: unknown): boolean =>
  !isArangoServicesError(error) || isAbortError(error) || isTimeoutError(error);

/**
 * Work that many callers need at once and one of them does: the first starts it, the others join it.
 *
 * It survives the end of the caller that started it. In Workers a promise that belongs to a request that has ended
 * never settles: what is under way for longer than its timeout is replaced. A caller that joined and meets the abort
 * or the timeout of the one that started goes on to the next attempt, its own if there is no other; every other
 * failure is everybody's. No caller waits for others longer than twice the timeout.
 */
export class SingleFlight<T> {
  #current: Flight<T> | undefined;
  readonly #timeoutMs: number;
  readonly #now: () => number;

  /**
   * `timeoutMs` is how long one attempt may last; the work itself ends by then. `now` is a clock in milliseconds,
   * default monotonic.
   */
  constructor(timeoutMs: number, now: () => number = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Whether there is work to join. */
  get underWay(): boolean {
    return this.#current !== undefined && this.#remaining(this.#current) > 0;
  }

  /** Joins the work under way, or starts it. */
  async run(start: () => Promise<T>): Promise<T> {
    const joinedAt = this.#now();
    for (;;) {
      const flight = this.#current;
      const remaining = flight === undefined ? 0 : this.#remaining(flight);
      if (flight === undefined || remaining <= 0) return this.#begin(start);
      try {
        return await within(flight.promise, remaining);
      } catch (error) {
        if (error === overdue) this.#clear(flight);
        // Whoever has waited as long as an attempt may last has timed out as well.
        else if (!isForeign(error) || this.#now() - joinedAt >= this.#timeoutMs) throw error;
      }
    }
  }

  #remaining({ startedAt }: Flight<T>): number {
    return startedAt + this.#timeoutMs - this.#now();
  }

  #begin(start: () => Promise<T>): Promise<T> {
    const flight = { promise: start(), startedAt: this.#now() };
    this.#current = flight;
    // Before anybody joins: whoever hears of the end does not find this flight again.
    const clear = () => this.#clear(flight);
    flight.promise.then(clear, clear);
    return flight.promise;
  }

  /** Only this flight: another may have replaced it. */
  #clear(flight: Flight<T>): void {
    if (this.#current === flight) this.#current = undefined;
  }
}
