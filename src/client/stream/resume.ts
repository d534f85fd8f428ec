import { isArangoServicesError } from '../../base/arango-services-error.js';
import { isHttpError } from '../../base/error-guards.js';
import { AbortError } from '../../base/errors.js';
import { backoffMs } from '../../base/lib/backoff.js';
import type { ByteSource } from '../../base/lib/chunks.js';
import { longestTimerMs, race, waitOnce } from '../../base/lib/wait.js';
import { type Lifetime, ownLifetime } from '../connection/lifetime.js';
import { discard } from '../connection/stream.js';

/** Opens an event stream again; `headers` has `last-event-id` if the server sent an id. */
export type Resume = (headers: Readonly<Record<string, string>>) => Promise<ByteSource>;

/** The state of an event stream across its connections. */
export interface Reconnection {
  /** The wait before a new connection: the default, or the server's `retry:`. */
  retryMs: number;
  /** The cap of the backoff. */
  readonly longestRetryMs: number;
  /** The id of the last block that had one, with or without data. */
  lastId: string;
  /** The calls of the client behind the last stream or failure, whose closing ends a wait. */
  lifetime?: Lifetime | undefined;
  /** Consecutive connections without an event; -1 before the first connection, which is opened without a wait. */
  failures: number;
}

/** The minimum wait after a connection without an event, so that `retry: 0` does not cause a busy loop. */
const leastRetryMs = 100;

/** Statuses below 500 that are worth another attempt. */
const transient = [408, 425, 429];

/** True if another attempt may succeed. */
function isTransient(error: unknown): boolean {
  if (!isArangoServicesError(error)) return false;
  if (error.code === 'CREDENTIALS') return isTransient(error.cause);
  if (isHttpError(error)) return error.status >= 500 || transient.includes(error.status);
  return error.code === 'NETWORK' || error.code === 'TIMEOUT';
}

/** True if reading a body failed because its connection broke. Errors of other classes come from foreign streams. */
export const isBroken = (error: unknown): boolean =>
  isArangoServicesError(error) ? isTransient(error) : Object(error).name !== 'AbortError';

/** An id as a header value: in UTF-8, as EventSource sends it. */
const headersFor = (id: string): Record<string, string> =>
  id === '' ? {} : { 'last-event-id': String.fromCharCode(...new TextEncoder().encode(id)) };

/** @throws AbortError if the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortError({}, signal.reason);
}

/** The open calls of the client that a stream or an error comes from; undefined if no client made it. */
export const lifetimeOf = (result: unknown): Lifetime | undefined => Object(result)[ownLifetime];

/** Waits until the time is up, the signal aborts or the client is closed. */
async function waitOpen(ms: number, signal: AbortSignal | undefined, lifetime: Lifetime | undefined): Promise<void> {
  if (lifetime?.ended) return;
  const closing = new AbortController();
  const wait = { waits: true, close: () => closing.abort() };
  lifetime?.add(wait);
  await waitOnce(ms, signal ? [closing.signal, signal] : [closing.signal]);
  lifetime?.delete(wait);
}

/**
 * Waits, and opens the stream again until it succeeds.
 * @returns undefined if the server has no more events (204).
 * @throws the error of an attempt that another one would not change; AbortError.
 */
export async function reopen(state: Reconnection, resume: Resume, signal?: AbortSignal): Promise<ByteSource> {
  for (let retryAfterMs = 0; ; ) {
    const { retryMs, longestRetryMs } = state;
    const failures = state.failures++;
    const firstMs = failures > 0 ? Math.max(retryMs, leastRetryMs) : retryMs;
    const waitMs = Math.max(retryMs, retryAfterMs, backoffMs(failures, firstMs, longestRetryMs, 0.5));
    if (failures >= 0) await waitOpen(Math.min(waitMs, longestTimerMs), signal, state.lifetime);
    throwIfAborted(signal);
    const opening = (async () => resume(headersFor(state.lastId)))();
    try {
      return await race(opening, { signal });
    } catch (error) {
      if (signal?.aborted) opening.then(discard, () => undefined);
      throwIfAborted(signal);
      if (!isTransient(error)) throw error;
      state.lifetime = lifetimeOf(error) ?? state.lifetime;
      retryAfterMs = isHttpError(error) ? (error.retryAfterMs ?? 0) : 0;
    }
  }
}
