import { AbortError, type ArangoServicesError, type CallSite, expected, TimeoutError } from '../errors.js';

const longest = 2_147_483_647;

/** A timeout in milliseconds, where 0 and `Infinity` mean none. @throws InvalidArgumentError */
export function readTimeout(value: unknown, field: string): number {
  if (value === Number.POSITIVE_INFINITY) return 0;
  if (typeof value !== 'number' || !(value >= 0 && value <= longest)) {
    throw expected(field, `milliseconds from 0 (none) to ${longest} or Infinity`, value);
  }
  return value;
}

/** @throws InvalidArgumentError unless it looks like an AbortSignal, of whatever realm. */
export function readSignal(value: unknown, field: string): AbortSignal {
  if (typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value) {
    return value as AbortSignal;
  }
  throw expected(field, `an AbortSignal`, value);
}

/**
 * One call's time and cancellation: an own controller with one timer and a removable listener on each signal of a caller.
 * AbortSignal.any and AbortSignal.timeout are not used: combined, they lose their event to the garbage collector.
 */
export class Deadline {
  /** Why the call's time is over; undefined while it is not. */
  failure: ArangoServicesError | undefined;
  readonly #controller = new AbortController();
  readonly #waiting = new Set<(failure: ArangoServicesError) => void>();
  readonly #endsAt: number;
  readonly #release: () => void;

  constructor(site: CallSite, timeout: number, sources: readonly AbortSignal[]) {
    this.#endsAt = timeout > 0 ? performance.now() + timeout : Number.POSITIVE_INFINITY;
    const onTimeout = () => this.#end(new TimeoutError(site, timeout));
    const onAbort = () => this.#end(new AbortError(site, sources.find(({ aborted }) => aborted)?.reason));
    const timer = timeout > 0 ? setTimeout(onTimeout, timeout) : undefined;
    this.#release = () => {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener('abort', onAbort);
    };
    for (const source of sources) source.addEventListener('abort', onAbort);
    if (sources.some(({ aborted }) => aborted)) onAbort();
  }

  /** What `fetch` listens to. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds left. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** The value of a promise, or the failure as soon as the time is over; it does not rely on the promise to hear of it. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.failure !== undefined) reject(this.failure);
      this.#waiting.add(reject);
      promise.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  /** Drops the timer and the listeners. */
  release(): void {
    this.#release();
  }

  #end(failure: ArangoServicesError): void {
    this.failure ??= failure;
    this.#release();
    // Without the caller's reason, which may hold anything and which fetch would hand on.
    this.#controller.abort();
    for (const reject of this.#waiting) reject(failure);
  }
}
