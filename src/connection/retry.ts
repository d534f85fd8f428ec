import { wholeNumber } from '../lib/readers.js';

const defaultRetries = 2;

/** A number of retries. */
export const retryOption = wholeNumber('a whole number of retries', 0, 100);

/**
 * How many retries a call gets: reads retry by default, PUT and DELETE where a caller asks for it, POST and PATCH
 * never.
 */
export function retriesFor(method: string, readOnly = false, configured?: number): number {
  if (readOnly || method === 'GET' || method === 'HEAD') return configured ?? defaultRetries;
  return method === 'POST' || method === 'PATCH' ? 0 : (configured ?? 0);
}
