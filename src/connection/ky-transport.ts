import type { KyInstance } from 'ky';
import { type FetchLike, fetchTransport } from './fetch-transport.js';
import type { Transport } from './transport.js';

/** Off, because this package's own count. What ky does by default is left out: it merges the options for each call. */
export const passedThrough = { retry: 0, timeout: false, throwHttpErrors: false } as const;

/**
 * Sends through ky, whose timeout, retries and error throwing are off. Everything but the URL travels beside ky's own
 * `Request`: a body is encoded once, and a `Request` around a signal would lose the cancellation of a body to the
 * garbage collector.
 *
 * @param load gives ky, or a promise of it; asked for each request.
 */
export function kyTransport(fetch: FetchLike | undefined, load: () => KyInstance | Promise<KyInstance>): Transport {
  const plain = fetchTransport(fetch);
  return {
    send: async (url, request) => (await load())(url, { ...passedThrough, fetch: () => plain.send(url, request) }),
  };
}
