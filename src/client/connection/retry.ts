import { wholeNumber } from '../../base/lib/readers.js';

const defaultRetries = 2;

export const retryOption = wholeNumber('a whole number of retries', 0, 100);

/**
 * Returns the number of retries of a call: reads retry by default, PUT and DELETE only if the caller sets `retry`, POST
 * and PATCH never.
 */
export function retriesFor(method: string, readOnly = false, configured?: number): number {
  if (readOnly || /^(GET|HEAD|QUERY)$/.test(method)) return configured ?? defaultRetries;
  return method === 'POST' || method === 'PATCH' ? 0 : (configured ?? 0);
}
