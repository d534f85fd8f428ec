import { isAbortError, isArangoServicesError } from '../errors.js';

/** Work that is under way. */
interface UnderWay<T> {
  readonly promise: Promise<T>;
  readonly startedAt: number;
}

/**
 * Work that is done once for all who ask for it at the same time.
 *
 * In Workers a promise belongs to the request that made it: once that request has ended it may never settle, or fail for everybody
 * else. So nobody waits longer than `patienceMs` for the work of another, and who is handed the failure of another (an abort, or an
 * error that is not this package's) does the work again.
 */
export class SharedWork<T> {
  readonly #patienceMs: number;
  #underWay: UnderWay<T> | undefined;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Whether the work is under way, and has been for no longer than anybody would wait. */
  get isUnderWay(): boolean {
    return this.#underWay !== undefined && this.#leftMs(this.#underWay) > 0;
  }

  /** The result of the work under way, or of `start` where there is none. */
  run(start: () => Promise<T>): Promise<T> {
    const current = this.#underWay;
    return current === undefined || this.#leftMs(current) <= 0 ? this.#start(start) : this.#join(current, start);
  }

  #leftMs({ startedAt }: UnderWay<T>): number {
    return startedAt + this.#patienceMs - performance.now();
  }

  #start(start: () => Promise<T>): Promise<T> {
    const mine: UnderWay<T> = { promise: start(), startedAt: performance.now() };
    this.#underWay = mine;
    const clear = (): void => this.#clear(mine);
    mine.promise.then(clear, clear);
    return mine.promise;
  }

  #clear(work: UnderWay<T>): void {
    if (this.#underWay === work) this.#underWay = undefined;
  }

  #join(current: UnderWay<T>, start: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const again = (): void => {
        this.#clear(current);
        this.run(start).then(resolve, reject);
      };
      const timer = setTimeout(again, this.#leftMs(current));
      current.promise.then(
        (result) => {
          clearTimeout(timer);
          resolve(result);
        },
        (error: unknown) => {
          clearTimeout(timer);
          if (isArangoServicesError(error) && !isAbortError(error)) reject(error);
          else again();
        },
      );
    });
  }
}
