import { AbortError, type ArangoServicesError, accepting, type CallSite, has, TimeoutError } from '../errors.js';
import { withResolvers } from '../platform.js';

const longest = 2_147_483_647;

const upTo = accepting<number>(
  `milliseconds from 0 (none) to ${longest} or Infinity`,
  (value) => typeof value === 'number' && value >= 0 && (value <= longest || value === Number.POSITIVE_INFINITY),
);

/** A timeout in milliseconds, where 0 and `Infinity` mean none. @throws InvalidArgumentError */
export function readTimeout(value: unknown, field: string): number {
  const ms = upTo(value, field);
  return ms <= longest ? ms : 0;
}

/** Looks like an AbortSignal, of whatever realm. @throws InvalidArgumentError */
export const readSignal = accepting<AbortSignal>(
  'an AbortSignal',
  (value) => has(value, 'addEventListener') && 'aborted' in (value as object),
);

/** One call's time and cancellation. */
export interface Deadline {
  /** What `fetch` listens to. Its reason is the failure of the call. */
  readonly signal: AbortSignal;
  /** The value of a promise, or the failure as soon as the time is over; it does not rely on the promise to hear of it. */
  readonly race: <T>(promise: Promise<T>) => Promise<T>;
  /** On the clock of `performance`. */
  readonly endsAt: number;
  /** Drops the timer and the listeners. */
  readonly release: () => void;
}

/**
 * Starts an own controller with one timer and a removable listener on each signal of a caller.
 * AbortSignal.any and AbortSignal.timeout are not used: combined, they lose their event to the garbage collector.
 */
export function startDeadline(site: CallSite, timeout: number, sources: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: over, reject } = withResolvers<never>();
  // Whoever waits hears of it.
  over.catch(() => undefined);
  const end = (failure: ArangoServicesError) => {
    release();
    reject(failure);
    controller.abort(failure);
  };
  const onAbort = () => end(new AbortError(site, sources.find(({ aborted }) => aborted)?.reason));
  const timer = timeout > 0 ? setTimeout(() => end(new TimeoutError(site, timeout)), timeout) : undefined;
  const release = () => {
    clearTimeout(timer);
    for (const source of sources) source.removeEventListener('abort', onAbort);
  };
  for (const source of sources) source.addEventListener('abort', onAbort);
  if (sources.some(({ aborted }) => aborted)) onAbort();
  return {
    signal,
    race: (promise) => Promise.race([promise, over]),
    endsAt: timeout > 0 ? performance.now() + timeout : Number.POSITIVE_INFINITY,
    release,
  };
}
