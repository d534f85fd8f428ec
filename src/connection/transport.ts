import ky from 'ky';

/** What goes to `fetch`, as it is. */
export interface Outgoing extends RequestInit {
  method: string;
  headers: Record<string, string>;
}

/** The part of `fetch` that is used; any function of this shape can stand in for it. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** Sends one request once. */
export type Transport = (url: string, init: Outgoing) => Promise<Response>;

/**
 * The only place that touches ky: one instance, with its timeout, retries, hooks and query handling off.
 * The request travels beside ky's own `Request`, as an option that ky hands to `fetch` unread: a body is encoded once, and a
 * `Request` around a signal would lose the cancellation of a body to the garbage collector.
 */
export function createTransport(fetch: FetchLike | undefined): Transport {
  const instance = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // Looked up at call time, so that interception installed later is met.
    fetch: (_request, options) => {
      const { url, init } = (options as { outgoing: { url: string; init: Outgoing } }).outgoing;
      return (fetch ?? globalThis.fetch)(url, init);
    },
  });
  return (url, init) => instance(url, { outgoing: { url, init } } as object);
}
