import type { KyInstance } from 'ky';
import { platform } from '#platform';
import { InvalidArgumentError } from '../errors.js';
import { accepting, transform } from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';
import type { Transport } from './transport.js';

/** The part of `fetch` that is used; any function of this shape can stand in for it. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** What a caller's instance must not set: the URL, the query, the body and the way out are this package's. */
const refused = ['prefix', 'baseUrl', 'searchParams', 'json', 'body', 'fetch'] as const;

/** A caller's own instance. */
export const readKy = transform(
  accepting<KyInstance>('an instance of ky', (value) => hasMethod(value, 'extend')),
  (instance, reading) => {
    instance.extend((set) => {
      const wrong = refused.find((name) => set[name]);
      if (wrong) reading.report(`the instance must not set ${wrong}: this package does`);
      return {};
    });
    return instance;
  },
);

/** Off, because this package's own count. What ky does by default is left out: it merges the options for each call. */
const passedThrough = { retry: 0, timeout: false, throwHttpErrors: false } as const;

/**
 * The only place that touches ky: its timeout, retries and error throwing are off. Body and signal travel beside ky's
 * own `Request`: a body is encoded once, and a `Request` around a signal would lose the cancellation of a body to the
 * garbage collector. Method, URL and headers go through the `Request` of a caller's own instance, whose hooks may
 * change them.
 */
export function kyTransport(fetch: FetchLike | undefined, own?: KyInstance): Transport {
  let instance = own?.extend({ ...passedThrough, totalTimeout: false });
  return {
    async send(url, request) {
      const { method, headers } = request;
      let failure: unknown;
      const send = async (given: Parameters<typeof globalThis.fetch>[0]): Promise<Response> => {
        try {
          // Looked up at call time, so that interception installed later is met.
          const fetchNow = fetch ?? globalThis.fetch;
          if (!own) return await fetchNow(url, request as RequestInit);
          // The cast: ky calls `fetch` with a Request.
          const hooked = given as Request;
          if (new URL(hooked.url).origin !== new URL(url).origin) {
            throw new InvalidArgumentError('ky', 'a hook changed the origin, where credentials must not go');
          }
          const changed = { ...request, method: hooked.method, headers: Object.fromEntries(hooked.headers) };
          return await fetchNow(hooked.url, changed as RequestInit);
        } catch (error) {
          failure = error;
          throw error;
        }
      };
      instance ??= await platform.loadKy();
      try {
        const response = await instance(
          url,
          own ? { method, headers, fetch: send } : { ...passedThrough, fetch: send },
        );
        // Engines before 2025 have no such method.
        response.bytes ??= async () => new Uint8Array(await response.arrayBuffer());
        return response;
      } catch (error) {
        // What `fetch` did not fail with, a hook did.
        throw failure ?? (own ? new InvalidArgumentError('ky', 'a hook threw') : error);
      }
    },
  };
}
