import { AbortError, type ArangoServicesError, type CallSite, expected, TimeoutError } from '../errors.js';

const longest = 2_147_483_647;

/** A timeout in milliseconds, where 0 and `Infinity` mean none. @throws InvalidArgumentError */
export function readTimeout(value: unknown, field = 'timeout'): number {
  if (value === Number.POSITIVE_INFINITY) return 0;
  if (typeof value !== 'number' || !(value >= 0 && value <= longest)) {
    throw expected(field, `milliseconds from 0 (none) to ${longest} or Infinity`, value);
  }
  return value;
}

/** @throws InvalidArgumentError unless it looks like an AbortSignal, of whatever realm. */
export function readSignal(value: unknown, field = 'signal'): AbortSignal {
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
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #timeout: number;
  readonly #started = performance.now();
  readonly #onAbort: () => void;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Set<() => void>();
  #failure: ((site: CallSite) => ArangoServicesError) | undefined;

  constructor(timeout: number, sources: readonly AbortSignal[]) {
    this.#timeout = timeout;
    this.#sources = sources;
    this.#onAbort = () => {
      const reason: unknown = sources.find((source) => source.aborted)?.reason;
      this.#end((site) => new AbortError(site, reason));
    };
    if (timeout > 0) this.#timer = setTimeout(() => this.#end((site) => new TimeoutError(site, timeout)), timeout);
    for (const source of sources) {
      if (source.aborted) {
        this.#onAbort();
        return;
      }
      source.addEventListener('abort', this.#onAbort);
    }
  }

  /** What `fetch` listens to. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds left. */
  get remainingMs(): number {
    return this.#timeout > 0 ? this.#timeout - (performance.now() - this.#started) : Number.POSITIVE_INFINITY;
  }

  /** The error of a call whose time is up or that was cancelled, else undefined. */
  failure(site: CallSite): ArangoServicesError | undefined {
    return this.#failure?.(site);
  }

  /** The value of a promise, or a rejection as soon as the deadline ends; it does not rely on the promise to hear of it. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const give = () => reject(this.signal.reason);
      if (this.#failure !== undefined) give();
      this.#waiting.add(give);
      promise.then(
        (value) => {
          this.#waiting.delete(give);
          resolve(value);
        },
        (error: unknown) => {
          this.#waiting.delete(give);
          reject(error);
        },
      );
    });
  }

  /** Drops the timer and the listeners. */
  release(): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this.#onAbort);
  }

  #end(failure: (site: CallSite) => ArangoServicesError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.release();
    // A reason of our own: the caller's may hold anything, and fetch hands it on.
    this.#controller.abort();
    for (const give of this.#waiting) give();
    this.#waiting.clear();
  }
}
