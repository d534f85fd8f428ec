/// <reference lib="esnext.disposable" preserve="true" />

import type { Clock } from './clock.js';

/** A signal that ends a wait early, and the clock that measures it. */
export interface SleepOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: the timer's own time. A timer that fires early by this clock is set again. */
  readonly clock?: Clock | undefined;
}

/** The limits of a race. */
export interface RaceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; without it, or with Infinity, there is no limit. */
  readonly ms?: number | undefined;
  /** Makes the error when the time is up. */
  readonly overdue?: (() => unknown) | undefined;
}

/** An `AbortController` that aborts with its parents. */
export interface ChildController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Stops listening to the parents. */
  release(): void;
}

/** The longest timer; Node fires a longer one at once. */
export const longestTimerMs = 2_147_483_647;

/** Waits for one timer, or until one of the signals aborts. A time that no timer can take does not end. */
export function waitOnce(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = ms <= longestTimerMs ? setTimeout(end, ms) : undefined;
    for (const signal of signals) signal.addEventListener('abort', end);
    if (signals.some(({ aborted }) => aborted)) end();
  });
}

/** Waits for this long. An aborted signal ends the wait early, without an error. */
export async function sleep(ms: number, { signal, clock }: SleepOptions = {}): Promise<void> {
  const until = (clock?.now() ?? 0) + ms;
  const signals = signal === undefined ? [] : [signal];
  let leftMs = ms;
  do {
    const stepMs = Math.min(Math.ceil(leftMs), longestTimerMs);
    await waitOnce(stepMs, signals);
    leftMs = clock === undefined ? leftMs - stepMs : until - clock.now();
  } while (leftMs > 0 && !signal?.aborted);
}

/** Settles like `work`, or rejects with the reason of the signal, or after the timeout with `overdue`. */
export function race<T>(
  work: PromiseLike<T>,
  { signal, ms = Number.POSITIVE_INFINITY, overdue }: RaceOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const ending =
      <A>(settle: (value: A) => void) =>
      (value: A): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        settle(value);
      };
    const onAbort = ending(() => reject(signal?.reason));
    const onTime = ending(() => reject(overdue?.() ?? new Error(`not done within ${ms} ms`)));
    const timer = ms <= longestTimerMs ? setTimeout(onTime, ms) : undefined;
    work.then(ending(resolve), ending(reject));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort(undefined);
  });
}

/** Creates a controller that aborts when a parent does, with its reason. */
export function childController(...parents: readonly AbortSignal[]): ChildController {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const remove of releases.splice(0)) remove();
  };
  for (const parent of parents) {
    const onAbort = (): void => {
      release();
      controller.abort(parent.reason);
    };
    if (parent.aborted) onAbort();
    else {
      parent.addEventListener('abort', onAbort, { once: true });
      releases.push(() => parent.removeEventListener('abort', onAbort));
    }
  }
  return {
    signal: controller.signal,
    abort(reason) {
      release();
      controller.abort(reason);
    },
    release,
  };
}

/** Creates such a controller for `using`, which releases it. */
export function scopedController(...parents: readonly AbortSignal[]): ChildController & Disposable {
  const child = childController(...parents);
  // The symbol that compilers use if the engine has none, as WebKit has not.
  const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
  return Object.assign(child, { [dispose]: child.release });
}
