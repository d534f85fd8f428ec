import { AbortError, TimeoutError } from '../../base/errors.js';
import { type Resolvers, withResolvers } from '../../base/lib/fallbacks.js';
import { optionsOf, type ReadersOf, readFields } from '../../base/lib/readers.js';
import { race } from '../../base/lib/wait.js';
import { signalOption, timeoutOption } from '../../client/connection/deadline.js';
import { ReplicaError } from './replica-error.js';
import type { ReplicaFailure } from './replica-failure.js';

/** The limits of a wait. */
export interface ReadyOptions {
  /** The timeout in milliseconds. Default none; 0 and Infinity mean none. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const readyOptions = optionsOf({
  timeout: timeoutOption,
  signal: signalOption,
} satisfies ReadersOf<ReadyOptions>);

/** Reads the options of `ready`; throws InvalidArgumentError for unknown options. */
export const readReadyOptions = (options: ReadyOptions): ReadyOptions => readFields(options, 'options', readyOptions);

/** The pending calls of `ready`. */
export class Waiting {
  readonly #waiters = new Set<Resolvers<void>>();

  /** Waits until `settle` is called, the timeout passes, or the signal aborts. */
  async wait({ timeout = 0, signal }: ReadyOptions, lastError: () => ReplicaFailure | undefined): Promise<void> {
    const waiter = withResolvers<void>();
    this.#waiters.add(waiter);
    const overdue = (): Error => {
      const last = lastError();
      return last === undefined ? new TimeoutError({}, timeout) : notReady(last, ` within ${timeout} ms`);
    };
    try {
      await race(waiter.promise, { signal, ms: timeout || undefined, overdue });
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? new AbortError({}, error) : error;
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** Resolves all waiting calls, or rejects them with a reason. */
  settle(error?: Error): void {
    for (const waiter of this.#waiters) {
      if (error === undefined) waiter.resolve();
      else waiter.reject(error);
    }
  }
}

/** Creates the error of a replica that is not ready, from its last failure. */
export const notReady = ({ code, message }: ReplicaFailure, when = ''): ReplicaError =>
  new ReplicaError('NOT_READY', `there is no complete state${when}: ${code} ${message}`);
