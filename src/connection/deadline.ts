import { AbortError, type ArangoServicesError, type CallInfo, TimeoutError } from '../errors.js';
import { accepting, isWithin, type Reader, transform } from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';
import { longestTimerMs } from '../lib/wait.js';
import type { AbortListeners } from './abort-listeners.js';

/** A timeout in milliseconds, where 0 and `Infinity` mean none. */
export const timeoutOption: Reader<number> = transform(
  accepting<number>(
    `milliseconds from 0 (none) to ${longestTimerMs} or Infinity`,
    (value) => isWithin(value, 0, longestTimerMs) || value === Number.POSITIVE_INFINITY,
  ),
  (ms) => (ms <= longestTimerMs ? ms : 0),
);

/** Reads an AbortSignal of any realm. */
export const signalOption = accepting<AbortSignal>(
  'an AbortSignal',
  (value) => hasMethod(value, 'addEventListener') && 'aborted' in (value as object),
);

/** One call's time and cancellation. */
export interface Deadline {
  /** The signal for `fetch`. Its reason is the failure of the call. */
  readonly signal: AbortSignal;
  /**
   * The value of a promise, or the failure as soon as the time is over; it does not rely on the promise to hear of
   * it.
   */
  readonly race: <T>(promise: Promise<T>) => Promise<T>;
  /** On the clock of `performance`. */
  readonly endsAt: number;
  /** Drops the timer, and no longer waits for the signals. */
  readonly release: () => void;
}

/**
 * Starts an own controller with one timer, which waits for the signals of the callers.
 * AbortSignal.any and AbortSignal.timeout are not used: combined, they lose their event to the garbage collector.
 */
export function startDeadline(
  callInfo: CallInfo,
  timeout: number,
  sources: readonly AbortSignal[],
  listeners: AbortListeners,
): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  let reject: ((failure: ArangoServicesError) => void) | undefined;
  let makeFailure: (() => ArangoServicesError) | undefined;
  const end = (make: () => ArangoServicesError) => {
    makeFailure = make;
    const failure = make();
    release();
    reject?.(failure);
    controller.abort(failure);
  };
  const onAbort = () => end(() => new AbortError(callInfo, sources.find(({ aborted }) => aborted)?.reason));
  const timer = timeout > 0 ? setTimeout(end, timeout, () => new TimeoutError(callInfo, timeout)) : undefined;
  const release = () => {
    clearTimeout(timer);
    for (const source of sources) listeners.delete(source, onAbort);
  };
  for (const source of sources) listeners.add(source, onAbort);
  if (sources.some(({ aborted }) => aborted)) onAbort();
  return {
    signal,
    async race(promise) {
      try {
        // Promise.race would cost more.
        return await new Promise((resolve, fail) => {
          reject = fail;
          promise.then(resolve, fail);
          if (signal.aborted) fail(signal.reason);
        });
      } catch (error) {
        // Made once more where the call is awaited: the stack of a timer knows nothing of who called.
        throw makeFailure && error === signal.reason ? makeFailure() : error;
      }
    },
    endsAt: timeout > 0 ? performance.now() + timeout : Number.POSITIVE_INFINITY,
    release,
  };
}
