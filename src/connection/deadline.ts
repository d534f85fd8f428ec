import { AbortError, type ArangoServicesError, type CallInfo, TimeoutError } from '../errors.js';
import { accepting, isWithin, type Reader, transform } from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';
import { longestTimerMs } from '../lib/wait.js';
import type { AbortListeners } from './abort-listeners.js';

/** Reads a timeout in milliseconds; 0 and `Infinity` mean none. */
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

/** The timeout and the signals of one call. */
export interface Deadline {
  /** The signal for `fetch`. Its reason is the error of the call. */
  readonly signal: AbortSignal;
  /** Returns the value of a promise, or rejects when the deadline passes, even if the promise ignores the abort. */
  readonly race: <T>(promise: Promise<T>) => Promise<T>;
  /**
   * Restarts the idle timeout; undefined if there is none.
   *
   * @param awaits true while the call waits for bytes of the server. Default: as before.
   * @param sources true while the upload waits for its own source. Default: as before.
   */
  readonly touch: ((awaits?: boolean, sources?: boolean) => void) | undefined;
  /** The time of the timeout, on the clock of `performance`. */
  readonly endsAt: number;
  /** Clears the timer and removes the listeners. */
  readonly release: () => void;
}

/**
 * Starts a deadline with one controller, one timer and listeners on the callers' signals. AbortSignal.any and
 * AbortSignal.timeout are not used: combined, they lose their event to the garbage collector.
 */
export function startDeadline(
  callInfo: CallInfo,
  timeout: number | undefined,
  sources: readonly AbortSignal[],
  listeners: AbortListeners,
  idleMs = 0,
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
  const timer = timeout && setTimeout(end, timeout, () => new TimeoutError(callInfo, timeout));
  let idleTimer: ReturnType<typeof setTimeout> | undefined;
  let isAwaited = false;
  let isSourcing = false;
  const touch = (awaits = isAwaited, sources = isSourcing) => {
    isAwaited = awaits;
    isSourcing = sources;
    clearTimeout(idleTimer);
    if (awaits && !sources) {
      idleTimer = setTimeout(end, idleMs, () => new TimeoutError(callInfo, idleMs, true));
    }
  };
  const release = () => {
    touch(false);
    clearTimeout(timer);
    for (const source of sources) listeners.delete(source, onAbort);
  };
  for (const source of sources) listeners.add(source, onAbort);
  if (sources.some(({ aborted }) => aborted)) onAbort();
  return {
    signal,
    async race(promise) {
      try {
        // Cheaper than Promise.race.
        return await new Promise((resolve, fail) => {
          reject = fail;
          promise.then(resolve, fail);
          if (signal.aborted) fail(signal.reason);
        });
      } catch (error) {
        // Created again where the call is awaited, because the stack of a timer does not show the caller.
        throw makeFailure && error === signal.reason ? makeFailure() : error;
      }
    },
    touch: idleMs ? touch : undefined,
    endsAt: timeout ? performance.now() + timeout : Number.POSITIVE_INFINITY,
    release,
  };
}
