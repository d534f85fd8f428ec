import { type ArangoServicesError, isHttpError } from '../errors.js';
import { wholeNumber } from '../lib/readers.js';
import type { TransportResponse } from './transport.js';

const firstDelayMs = 200;
const longestDelayMs = 5_000;
const longestRetryAfterMs = 60_000;
const defaultRetries = 2;
// Certificates, handshakes and names that do not exist: the next try would fail in the same way.
const lasting = /CERT|SSL|TLS|SIGNATURE|ENOTFOUND/;

/** A number of retries. */
export const readRetry = wholeNumber('a whole number of retries', 0, 100);

/**
 * How many retries a call gets: reads retry by default, PUT and DELETE where a caller asks for it, POST and PATCH
 * never.
 */
export function retriesFor(method: string, readOnly = false, configured?: number): number {
  if (readOnly || method === 'GET' || method === 'HEAD') return configured ?? defaultRetries;
  return method === 'POST' || method === 'PATCH' ? 0 : (configured ?? 0);
}

/** Milliseconds that a server asks to wait (`Retry-After`); undefined where it asks for none. */
export function readRetryAfter({ headers }: Pick<TransportResponse, 'headers'>): number | undefined {
  const after = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(after)) return Number(after) * 1_000;
  // Date.parse would read a year in `-1` and `1.5`; an HTTP date begins with its weekday.
  const date = /^[A-Z]/i.test(after) ? Date.parse(after) - Date.now() : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date);
}

/**
 * Milliseconds to wait before the next try, or undefined when another try is of no use.
 * A server's Retry-After counts up to a minute; the delay doubles and is jittered, so that clients do not come back
 * together.
 */
export function retryDelayMs(failure: ArangoServicesError, tries: number): number | undefined {
  const { status, retryAfterMs = 0 } = isHttpError(failure) ? failure : {};
  const network = failure.code === 'NETWORK' && !lasting.test(String(Object(failure.cause).code));
  if (status !== 429 && status !== 503 && !network) return undefined;
  if (retryAfterMs > longestRetryAfterMs) return undefined;
  const backoffMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (retryAfterMs > 0 ? 0 : tries));
  return Math.max(retryAfterMs, backoffMs * (0.5 + Math.random() / 2));
}
