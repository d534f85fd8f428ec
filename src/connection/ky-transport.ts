import ky from 'ky';
import type { Transport, TransportRequest } from './transport.js';

/** The part of `fetch` that is used; any function of this shape can stand in for it. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/**
 * The only place that touches ky: one instance, with its timeout, retries, hooks and query handling off.
 * The request travels beside ky's own `Request`, as an option that ky hands to `fetch` unread: a body is encoded once, and a
 * `Request` around a signal would lose the cancellation of a body to the garbage collector.
 */
export function kyTransport(fetch: FetchLike | undefined): Transport {
  const instance = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // Looked up at call time, so that interception installed later is met.
    fetch: (_request, options) => {
      const { url, request } = (options as { outgoing: { url: string; request: TransportRequest } }).outgoing;
      return (fetch ?? globalThis.fetch)(url, request as RequestInit);
    },
  });
  return {
    async send(url, request) {
      const response = await instance(url, { outgoing: { url, request } } as object);
      // Engines before 2025 have no such method.
      response.bytes ??= async () => new Uint8Array(await response.arrayBuffer());
      return response;
    },
  };
}
