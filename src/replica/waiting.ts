import { readSignal, readTimeout } from '../connection/deadline.js';
import { AbortError, TimeoutError } from '../errors.js';
import { optionsOf, readFields } from '../lib/readers.js';
import { ReplicaError } from './error.js';
import type { ReplicaFailure } from './failure.js';

/** How long somebody waits. */
export interface ReadyOptions {
  /** Milliseconds; default none, 0 and Infinity mean none. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const fields = optionsOf({ timeout: readTimeout, signal: readSignal });

/** @throws InvalidArgumentError for options that there are not. */
export const readReadyOptions = (options: ReadyOptions): ReadyOptions => readFields(options, 'options', fields);

/** Those who wait until a replica is ready. */
export class Waiting {
  readonly #waiters = new Set<{ resolve(): void; reject(error: Error): void }>();

  /** Ends with `settle`, with the time or by the signal. */
  wait({ timeout = 0, signal }: ReadyOptions, lastError: () => ReplicaFailure | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#waiters.delete(waiter);
      };
      const waiter = {
        resolve() {
          end();
          resolve();
        },
        reject(error: Error) {
          end();
          reject(error);
        },
      };
      const onAbort = (): void => waiter.reject(new AbortError({}, signal?.reason));
      const onTime = (): void => {
        const last = lastError();
        const error = last === undefined ? new TimeoutError({}, timeout) : notReady(last, ` within ${timeout} ms`);
        waiter.reject(error);
      };
      const timer = timeout > 0 && timeout !== Number.POSITIVE_INFINITY ? setTimeout(onTime, timeout) : undefined;
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) onAbort();
    });
  }

  /** Everybody goes on, or is told why not. */
  settle(error?: Error): void {
    for (const waiter of this.#waiters) {
      if (error === undefined) waiter.resolve();
      else waiter.reject(error);
    }
  }
}

/** The replica is not ready, because of a failure. */
export const notReady = ({ code, message }: ReplicaFailure, when = ''): ReplicaError =>
  new ReplicaError('NOT_READY', `there is no whole state${when}: ${code} ${message}`);
