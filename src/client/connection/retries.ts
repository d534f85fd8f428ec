import { runtime } from '#runtime';
import type { ArangoServicesError } from '../../base/arango-services-error.js';
import type { HttpError } from '../../base/errors.js';
import { backoffMs } from '../../base/lib/backoff.js';
import {
  accepting,
  optionsOf,
  type Reader,
  type ReadersOf,
  type ReadOptions,
  refuse,
  wholeNumber,
} from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import { waitOnce } from '../../base/lib/wait.js';
import { isValidHeader, readHeaderText } from './headers.js';

export const defaultRetries = 2;

export const retryOption = wholeNumber('a whole number of retries', 0, 100);

/** Returns the number of retries: reads retry by default, PUT and DELETE only if `retry` is set, others never. */
export function retriesFor(method: string, readOnly = false, configured?: number): number {
  if (readOnly || /^(GET|HEAD|QUERY)$/.test(method)) return configured ?? defaultRetries;
  return method === 'POST' || method === 'PATCH' ? 0 : (configured ?? 0);
}

/** A key by which a service recognizes a request that it has processed already. */
export interface IdempotencyKey {
  /** The header. Default `Idempotency-Key`. */
  readonly header?: string | undefined;
  /** The key. Default: 128 random bits for each call. */
  readonly value?: string | undefined;
}

const readKey = optionsOf({
  header: accepting<string>('the name of a header', (name) => typeof name === 'string' && isValidHeader(name, '')),
  value: readHeaderText,
} satisfies ReadersOf<IdempotencyKey>);

/** Reads the option: true for a random key, or an object. */
export const idempotencyOption: Reader<boolean | ReadOptions<{ header: Reader<string>; value: Reader<string> }>> = (
  value,
  reading,
) => {
  if (typeof value === 'boolean') return value;
  return isObject(value) ? readKey(value, reading) : refuse(reading, 'true, false or { header, value }', value);
};

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte + 256).toString(16).slice(1)).join('');

/** Sets the key of a POST or a PATCH among its headers; true if the call may then be retried as a read. */
export function setIdempotencyKey(
  headers: Record<string, string>,
  method: string,
  option: boolean | IdempotencyKey = false,
): boolean {
  if (!option || (method !== 'POST' && method !== 'PATCH')) return false;
  const { header = 'idempotency-key', value = randomKey() } = option === true ? {} : option;
  headers[header.toLowerCase()] = value;
  return true;
}

const firstDelayMs = 200;
const longestDelayMs = 5_000;
const longestRetryAfterMs = 60_000;

/**
 * Returns the delay before the next attempt in milliseconds, or undefined if retrying is pointless. Honors a server's
 * Retry-After up to a minute; the backoff doubles and is jittered, so that clients do not retry in sync.
 */
export function retryDelayMs(failure: ArangoServicesError, tries: number): number | undefined {
  const { status, retryAfterMs = 0 } = failure as Partial<HttpError>;
  const network = failure.code === 'NETWORK' && !runtime.lasting?.test(Object(failure.cause).code);
  // A message beyond the limit of gRPC, which the services answer with 429, stays as long as it is.
  if ((status !== 429 && status !== 503 && !network) || /larger than max/.test(failure.message)) return undefined;
  if (retryAfterMs > longestRetryAfterMs) return undefined;
  return Math.max(retryAfterMs, backoffMs(retryAfterMs > 0 ? 0 : tries, firstDelayMs, longestDelayMs, 0.5));
}

/** Waits for the next attempt and returns true; false if none fits the deadline, or the call was aborted. */
export async function pause(
  delayMs: number | undefined,
  { signal, endsAt }: { readonly signal?: AbortSignal; readonly endsAt?: number } = {},
): Promise<boolean> {
  if (delayMs === undefined || performance.now() + delayMs >= Number(endsAt)) return false;
  await waitOnce(delayMs, signal ? [signal] : []);
  return !signal?.aborted;
}
