import { AbortError, type ArangoServicesError, type CallInfo, TimeoutError } from '../../base/errors.js';
import { accepting, isWithin, type Reader, transform } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import { longestTimerMs } from '../../base/lib/wait.js';
import type { AbortListeners } from './abort-listeners.js';
import { createIdleTimer, type IdleTimer } from './idle-timer.js';
import type { Lifetime, OpenCall } from './lifetime.js';

/** Reads a number of milliseconds. */
export const msOption = accepting<number>(
  `milliseconds from 0 (none) to ${longestTimerMs} or Infinity`,
  (value) => isWithin(value, 0, longestTimerMs) || value === Number.POSITIVE_INFINITY,
);

/** Reads a timeout in milliseconds; 0 and `Infinity` mean none. */
export const timeoutOption: Reader<number> = transform(msOption, (ms) => (ms <= longestTimerMs ? ms : 0));

/** Reads an AbortSignal of any realm. */
export const signalOption = accepting<AbortSignal>(
  'an AbortSignal',
  (value) => hasMethod(value, 'addEventListener') && 'aborted' in (value as object),
);

/** The limits of one call. */
interface Limits {
  /** Milliseconds for the whole call; 0 and undefined mean none. */
  readonly timeout?: number | undefined;
  /** Milliseconds of silence; 0 and undefined mean none. */
  readonly idleTimeoutMs?: number | undefined;
  /** Signals that each abort the call. */
  readonly signals: readonly AbortSignal[];
  /** Counts the call in, and aborts it. */
  readonly lifetime?: Lifetime | undefined;
}

/** The timeout and the signals of one call. */
export interface Deadline extends OpenCall {
  /** The signal for `fetch`. Its reason is the error of the call. */
  readonly signal: AbortSignal;
  /**
   * Returns the value of a promise, or rejects when the deadline passes, even if the promise ignores the abort. The
   * error is created again where the call is awaited, because the stack of a timer does not show the caller.
   */
  readonly race: <T>(promise: Promise<T>) => Promise<T>;
  /** Ends the call after a silence of the server; undefined if there is no idle timeout. */
  readonly idle: IdleTimer | undefined;
  /** The time of the timeout, on the clock of `performance`. */
  readonly endsAt: number;
  /** Called when the deadline passes. The signal holds none of them, because `fetch` holds the signal. */
  readonly onEnd: ((failure: ArangoServicesError) => void)[];
  /** The call is a stream from now on. */
  readonly loosen: () => void;
  /** Called by `release`, once the stream of a response has ended. */
  onRelease?: (() => void) | undefined;
  /** Clears the timers and removes the listeners. */
  readonly release: () => void;
}

/**
 * Starts a deadline with one controller, one timer and listeners on the callers' signals. AbortSignal.any and
 * AbortSignal.timeout are not used: combined, they lose their event to the garbage collector.
 */
export function startDeadline(
  callInfo: CallInfo,
  { timeout, idleTimeoutMs, signals, lifetime }: Limits,
  listeners: AbortListeners,
): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  let reject: ((failure: ArangoServicesError) => void) | undefined;
  let makeFailure: (() => ArangoServicesError) | undefined;
  const end = (make: () => ArangoServicesError) => {
    makeFailure = make;
    release();
    const failure = make();
    reject?.(failure);
    controller.abort(failure);
    for (const fail of deadline.onEnd) fail(failure);
  };
  const onAbort = () => end(() => new AbortError(callInfo, signals.find(({ aborted }) => aborted)?.reason));
  // A timer for each call, not one for all: Node lists timers by duration, and a list of our own costs as much, 0.1 µs.
  const timer = timeout && setTimeout(end, timeout, () => new TimeoutError(callInfo, timeout));
  const idle = idleTimeoutMs
    ? createIdleTimer(idleTimeoutMs, () => end(() => new TimeoutError(callInfo, idleTimeoutMs, true)))
    : undefined;
  const release = () => {
    idle?.stop();
    clearTimeout(timer);
    for (const source of signals) listeners.delete(source, onAbort);
    lifetime?.delete(open);
    deadline.onRelease?.();
  };
  const deadline: Deadline = {
    signal,
    onEnd: [],
    close: (ended) => end(() => new AbortError(callInfo, ended, 'was aborted: the client was closed')),
    loosen() {
      if (lifetime) open = lifetime.loosen(open);
    },
    async race(promise) {
      try {
        // Cheaper than Promise.race.
        return await new Promise((resolve, fail) => {
          reject = fail;
          promise.then(resolve, fail);
          if (signal.aborted) fail(signal.reason);
        });
      } catch (error) {
        throw makeFailure && error === signal.reason ? makeFailure() : error;
      }
    },
    idle,
    endsAt: timeout ? performance.now() + timeout : Number.POSITIVE_INFINITY,
    release,
  };
  let open: OpenCall = deadline;
  lifetime?.add(open);
  for (const source of signals) listeners.add(source, onAbort);
  if (signals.some(({ aborted }) => aborted)) onAbort();
  return deadline;
}
