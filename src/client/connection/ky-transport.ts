import type { KyInstance } from 'ky';
import { type FetchLike, fetchTransport } from './fetch-transport.js';
import type { Transport } from './transport.js';

/**
 * Disables what this package does itself. Options that equal ky's defaults are omitted, because ky merges them for each
 * call.
 */
export const passedThrough = { retry: 0, timeout: false, throwHttpErrors: false } as const;

/**
 * Sends through ky, with its timeout, retries and error throwing disabled. Everything but the URL bypasses ky's own
 * `Request`: a body is encoded once, and a `Request` with a signal would lose the abort of a body to the garbage
 * collector.
 *
 * @param load returns ky or a promise of it; called for each request.
 */
export function kyTransport(fetch: FetchLike | undefined, load: () => KyInstance | Promise<KyInstance>): Transport {
  const plain = fetchTransport(fetch);
  return {
    send: async (url, request) => (await load())(url, { ...passedThrough, fetch: () => plain.send(url, request) }),
  };
}
