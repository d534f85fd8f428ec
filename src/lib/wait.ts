/// <reference lib="esnext.disposable" preserve="true" />

/** What a wait is measured by. */
interface Clock {
  /** The time, in milliseconds. */
  now(): number;
}

/** What ends a wait early, and what its time is measured by. */
export interface SleepOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: the timer's own time. A timer that fires early by this clock is set again. */
  readonly clock?: Clock | undefined;
}

/** What a race is against. */
export interface RaceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; Infinity, or none, is no limit. */
  readonly ms?: number | undefined;
  /** Makes the error when the time is up. */
  readonly overdue?: (() => unknown) | undefined;
}

/** An `AbortController` that aborts with its parents. Disposing of it stops listening to them. */
export interface ChildController extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

// Node fires a longer timer at once.
const longestTimerMs = 2_147_483_647;

/** Waits for this long. An aborted signal ends the wait early, without an error. */
export function sleep(ms: number, { signal, clock }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const until = (clock?.now() ?? 0) + ms;
    let leftMs = ms;
    const wait = (): void => {
      const stepMs = Math.min(Math.max(0, Math.ceil(leftMs)), longestTimerMs);
      timer = setTimeout(() => {
        leftMs = clock === undefined ? leftMs - stepMs : until - clock.now();
        if (leftMs > 0) wait();
        else end();
      }, stepMs);
    };
    if (signal?.aborted) return resolve();
    signal?.addEventListener('abort', end, { once: true });
    if (ms !== Number.POSITIVE_INFINITY) wait();
  });
}

/** Settles like `work`, unless the signal aborts or the time passes first: then it rejects with what these say. */
export function race<T>(
  work: PromiseLike<T>,
  { signal, ms = Number.POSITIVE_INFINITY, overdue }: RaceOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(signal?.reason);
    };
    const onTime = (): void => {
      end();
      reject(overdue?.() ?? new Error(`not done within ${ms} ms`));
    };
    const timer = ms <= longestTimerMs ? setTimeout(onTime, ms) : undefined;
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error) => {
        end();
        reject(error);
      },
    );
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Creates a controller that aborts when a parent does, with its reason. */
export function childController(...parents: readonly AbortSignal[]): ChildController {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const one of releases.splice(0)) one();
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
    [Symbol.dispose]: release,
  };
}
