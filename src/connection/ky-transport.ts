import type { KyInstance, Options } from 'ky';
import { platform } from '#platform';
import { InvalidArgumentError } from '../errors.js';
import { accepting, transform } from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';
import type { Transport, TransportRequest } from './transport.js';

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

/** A request on its way through ky. */
interface Outgoing {
  readonly url: string;
  readonly request: TransportRequest;
  /** What `fetch` failed with. */
  failure?: unknown;
}

/**
 * The only place that touches ky: one instance, with its timeout, retries and error throwing off. Body and signal
 * travel beside ky's own `Request`, as an option that ky hands to `fetch` unread: a body is encoded once, and a
 * `Request` around a signal would lose the cancellation of a body to the garbage collector. Method, URL and headers
 * go through the `Request` of a caller's own instance, whose hooks may change them.
 */
export function kyTransport(fetch: FetchLike | undefined, own?: KyInstance): Transport {
  const options: Options = {
    retry: 0,
    timeout: false,
    totalTimeout: false,
    throwHttpErrors: false,
    fetch: async (given, both) => {
      // The casts: the option is set below, and ky calls `fetch` with a Request.
      const { outgoing } = both as { outgoing: Outgoing };
      const { method, headers, url } = given as Request;
      const { request, url: asked } = outgoing;
      try {
        if (own && new URL(url).origin !== new URL(asked).origin) {
          throw new InvalidArgumentError('ky', 'a hook changed the origin, where credentials must not go');
        }
        // Looked up at call time, so that interception installed later is met.
        const send = fetch ?? globalThis.fetch;
        const answer = own
          ? send(url, { ...request, method, headers: Object.fromEntries(headers) } as RequestInit)
          : send(asked, request as RequestInit);
        return await answer;
      } catch (error) {
        outgoing.failure = error;
        throw error;
      }
    },
  };
  let instance: KyInstance | undefined;
  return {
    async send(url, request) {
      const { method, headers } = request;
      const outgoing: Outgoing = { url, request };
      instance ??= own ? own.extend(options) : (await platform.loadKy()).create(options);
      try {
        const response = await instance(url, { ...(own && { method, headers }), outgoing } as Options);
        // Engines before 2025 have no such method.
        response.bytes ??= async () => new Uint8Array(await response.arrayBuffer());
        return response;
      } catch (error) {
        // What `fetch` did not fail with, a hook did.
        throw outgoing.failure ?? (own ? new InvalidArgumentError('ky', 'a hook threw') : error);
      }
    },
  };
}
