import type { Transport } from './transport.js';

/** The part of `fetch` that is used; any function of this shape can stand in for it. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** A transport that answers with what `fetch` gives. */
export interface FetchTransport extends Transport {
  send(...request: Parameters<Transport['send']>): Promise<Response>;
}

/** Gives an answer the method that engines before 2025 lack. */
export function withBytes(response: Response): Response {
  response.bytes ??= async () => new Uint8Array(await response.arrayBuffer());
  return response;
}

/** Sends over the caller's `fetch`, or the platform's, with nothing between. */
export const fetchTransport = (fetch: FetchLike | undefined): FetchTransport => ({
  async send(url, request) {
    // Looked up at call time, so that interception installed later is met.
    const fetchNow = fetch ?? globalThis.fetch;
    // The cast: a request fits `fetch`, but DOM types know no `duplex`.
    return withBytes(await fetchNow(url, request as RequestInit));
  },
});
