import type { TransportRequest } from './transport.js';

/** The part of `fetch` that is used; any function of this shape can stand in for it. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sets the method that engines before 2025 lack. Where a server has replaced `Response`, as Hono's does in Node, the
 * method is there, but throws.
 */
export function withBytes(response: Response): Response {
  response.bytes = async () => new Uint8Array(await response.arrayBuffer());
  return response;
}

/** Creates a transport directly over the caller's `fetch`, or the runtime's. */
export const fetchTransport = (fetch: FetchLike | undefined) => ({
  // Looked up at call time, so that later interception takes effect.
  send: async (url: string, request: TransportRequest): Promise<Response> =>
    // A function of the caller may return no object.
    withBytes(Object(await (fetch ?? globalThis.fetch)(url, request))),
});
