import { wholeNumber } from '../lib/readers.js';
import type { TransportResponse } from './transport.js';

const defaultRetries = 2;

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
