import type { ArangoServicesError } from '../errors.js';
import { accepting } from '../lib/readers.js';
import type { TransportResponse } from './transport.js';

const firstDelayMs = 200;
const longestDelayMs = 5_000;
const longestRetryAfterMs = 60_000;
const defaultRetries = 2;

/** A number of retries. */
export const readRetry = accepting<number>(
  'a whole number of retries from 0 to 100',
  (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100,
);

/** How many retries a call gets: reads retry by default, PUT and DELETE where a caller asks for it, POST and PATCH never. */
export function retriesFor(method: string, readOnly = false, configured?: number): number {
  if (readOnly || method === 'GET' || method === 'HEAD') return configured ?? defaultRetries;
  return method === 'POST' || method === 'PATCH' ? 0 : (configured ?? 0);
}

/**
 * Milliseconds to wait before the next try, or undefined when another try is of no use.
 * A server's Retry-After counts up to a minute; else the delay doubles and is jittered, so that clients do not come back together.
 */
export function retryDelayMs(
  { code }: ArangoServicesError,
  response: TransportResponse | undefined,
  tries: number,
): number | undefined {
  const busy = code === 'HTTP' && (response?.status === 429 || response?.status === 503);
  if (!busy && code !== 'NETWORK') return undefined;
  const after = busy ? response.headers.get('retry-after') : null;
  // Date.parse would read a year in `-1` and `1.5`; an HTTP date begins with its weekday.
  const date = after && /^[A-Z]/i.test(after) ? Date.parse(after) - Date.now() : Number.NaN;
  const asked = after && /^\d+$/.test(after) ? Number(after) * 1000 : date;
  if (!Number.isNaN(asked)) return asked <= longestRetryAfterMs ? Math.max(0, asked) : undefined;
  return Math.min(longestDelayMs, firstDelayMs * 2 ** tries) * (0.5 + Math.random() / 2);
}
