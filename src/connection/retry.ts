import { type ArangoServicesError, expected } from '../errors.js';

const firstDelayMs = 200;
const longestDelayMs = 5_000;
const longestRetryAfterMs = 60_000;
const defaultRetries = 2;

/** A number of retries. @throws InvalidArgumentError */
export function readRetry(value: unknown, field = 'retry'): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100) return value;
  throw expected(field, `a whole number of retries from 0 to 100`, value);
}

/** How many retries a call gets: reads retry by default, PUT and DELETE where a caller asks for it, POST and PATCH never. */
export function retriesFor(method: string, readOnly: boolean, configured: number | undefined): number {
  if (readOnly || method === 'GET' || method === 'HEAD') return configured ?? defaultRetries;
  return method === 'PUT' || method === 'DELETE' || method === 'OPTIONS' ? (configured ?? 0) : 0;
}

/**
 * Milliseconds to wait before the next try, or undefined when another try is of no use.
 * A server's Retry-After counts up to a minute; else the delay doubles and is jittered, so that clients do not come back together.
 */
export function retryDelayMs(
  failure: ArangoServicesError,
  retryAfter: string | null,
  tries: number,
): number | undefined {
  const { code } = failure;
  const busy = code === 'HTTP' && 'status' in failure && (failure.status === 429 || failure.status === 503);
  if (!busy && code !== 'NETWORK') return undefined;
  const asked = busy && retryAfter !== null ? parseRetryAfter(retryAfter) : undefined;
  if (asked !== undefined) return asked <= longestRetryAfterMs ? asked : undefined;
  return Math.min(longestDelayMs, firstDelayMs * 2 ** tries) * (0.5 + Math.random() / 2);
}

function parseRetryAfter(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Without a name of a month Date.parse takes a number for a year.
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
