import type { KyInstance, Options } from 'ky';
import { type FetchLike, fetchTransport } from './fetch-transport.js';
import type { Transport } from './transport.js';

/** Off, because this package's own count. What ky does by default is left out: it merges the options for each call. */
export const passedThrough = { retry: 0, timeout: false, throwHttpErrors: false } as const;

/**
 * Sends through an instance of ky, and rejects with what `send` rejected with, which ky would wrap.
 *
 * @param hookFailure makes an error of a failure that is not of `send`.
 */
export async function sendThrough(
  ky: KyInstance,
  url: string,
  options: Options,
  send: (request: Request) => Promise<Response>,
  hookFailure = (error: unknown) => error,
): Promise<Response> {
  let failure: unknown;
  const fetch = async (request: unknown) => {
    try {
      // The cast: ky calls `fetch` with a Request.
      return await send(request as Request);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    return await ky(url, { ...options, fetch });
  } catch (error) {
    throw failure ?? hookFailure(error);
  }
}

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
    send: async (url, request) => sendThrough(await load(), url, passedThrough, () => plain.send(url, request)),
  };
}
