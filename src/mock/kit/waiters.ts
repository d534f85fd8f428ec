import { accepting, optionsOf, type ReadersOf } from '../../base/lib/readers.js';
import { longestTimerMs, waitOnce } from '../../base/lib/wait.js';
import type { RequestFilter } from '../options/request-filter.js';
import type { LoggedRequest } from './logged-request.js';
import { formatFilter, type Matches } from './match-request.js';

/** Options of `waitFor`. */
export interface WaitOptions {
  /** The timeout in milliseconds, above 0, in real time or by fake timers. Default 5000. */
  readonly timeout?: number | undefined;
}

type Waiter = { readonly matches: Matches; resolve(request: LoggedRequest): void; fail(why: string): void };

/** Pending calls of `waitFor`. */
export interface Waiters {
  /** Waits for the first request that matches. `arrived` describes the received requests for the error. */
  wait(filter: RequestFilter, matches: Matches, timeoutMs: number, arrived: () => string): Promise<LoggedRequest>;
  /** Resolves the waits that this request matches. */
  note(exchange: { readonly method: string; readonly path: string }, request: LoggedRequest): void;
  /** Fails all pending waits. */
  fail(why: string): void;
}

export const readWaitOptions = optionsOf({
  timeout: accepting<number>(
    `milliseconds above 0, at most ${longestTimerMs}`,
    (ms) => typeof ms === 'number' && ms > 0 && ms <= longestTimerMs,
  ),
} satisfies ReadersOf<WaitOptions>);

/** Creates an empty list of waits. */
export function createWaiters(): Waiters {
  const waiters = new Set<Waiter>();
  return {
    wait: (filter, matches, timeoutMs, arrived) =>
      new Promise((resolve, reject) => {
        const stop = new AbortController();
        const end = (): void => {
          stop.abort();
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
        waiters.add(waiter);
        void waitOnce(timeoutMs, [stop.signal]).then(() => {
          if (waiters.has(waiter)) waiter.fail(`saw no such request in ${timeoutMs} ms`);
        });
      }),
    note(exchange, request) {
      for (const waiter of waiters) if (waiter.matches(exchange)) waiter.resolve(request);
    },
    fail(why) {
      for (const waiter of waiters) waiter.fail(why);
    },
  };
}
