import { expected } from '../../lib/readers.js';
import { formatFilter, type Matches, type RequestFilter } from './filter.js';
import type { LoggedRequest } from './logged-request.js';

/** How long `waitFor` waits. */
export interface WaitOptions {
  /** Milliseconds of real time, above 0 (fake timers count, too). Default 5000. */
  readonly timeoutMs?: number | undefined;
}

interface Waiter {
  readonly matches: Matches;
  resolve(request: LoggedRequest): void;
  fail(why: string): void;
}

/** Those who wait for a request that has not arrived yet. */
export interface Waiters {
  /** Waits for the first request that fits. `arrived` says in the error what did arrive. */
  wait(filter: RequestFilter, matches: Matches, timeoutMs: number, arrived: () => string): Promise<LoggedRequest>;
  /** Answers everybody who waits for this request. */
  tell(exchange: { readonly method: string; readonly path: string }, request: LoggedRequest): void;
  /** Ends all waiting with an error. */
  fail(why: string): void;
}

/**
 * Reads the options of `waitFor`.
 * @throws InvalidArgumentError for a timeout that no timer takes.
 */
export function readWaitOptions({ timeoutMs = 5_000 }: WaitOptions): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= 2_147_483_647) return timeoutMs;
  throw expected('timeoutMs', 'milliseconds above 0, at most 2147483647', timeoutMs);
}

/** Makes an empty list of those who wait. */
export function createWaiters(): Waiters {
  const waiters = new Set<Waiter>();
  return {
    wait: (filter, matches, timeoutMs, arrived) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          waiters.delete(waiter);
        };
        const waiter: Waiter = {
          matches,
          resolve(request) {
            end();
            resolve(request);
          },
          fail(why) {
            end();
            reject(new Error(`waitFor(${formatFilter(filter)}) ${why}; ${arrived()}`));
          },
        };
        const timer = setTimeout(() => waiter.fail(`saw no such request in ${timeoutMs} ms`), timeoutMs);
        waiters.add(waiter);
      }),
    tell(exchange, request) {
      for (const waiter of waiters) if (waiter.matches(exchange)) waiter.resolve(request);
    },
    fail(why) {
      for (const waiter of waiters) waiter.fail(why);
    },
  };
}
