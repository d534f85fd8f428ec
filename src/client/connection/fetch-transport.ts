import type { KyInstance } from 'ky';
import type { ArangoServicesError, CallInfo } from '../../base/arango-services-error.js';
import { InvalidArgumentError } from '../../base/errors.js';
import { accepting, transform } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';

/** Parts that differ by runtime; package.json's `imports` names the file for each as `#runtime`. */
export interface Runtime {
  /** The default transport; `fetch` is the caller's, if any. */
  readonly transport: (fetch: FetchLike | undefined) => Transport;
  /** Returns a more specific error for a failure, if this runtime knows one. */
  readonly explain?: (error: unknown, callInfo: CallInfo) => ArangoServicesError | undefined;
  /** The codes of failures that another attempt would meet again. */
  readonly lasting?: RegExp;
  /** Encodes a body that the runtime itself cannot send safely; undefined for any other. */
  readonly encode?: (body: unknown) => Blob | undefined;
}

/** The part of `fetch` that is used; any function of this shape can stand in for it. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** Sets the method that engines before 2025 lack, and that throws where a server has replaced `Response` (Hono). */
export function withBytes(response: Response): Response {
  try {
    response.bytes = async () => new Uint8Array(await response.arrayBuffer());
  } catch {
    // A frozen one, or a subclass with its own.
  }
  return response;
}

/**
 * Checks a response, which a double in a test or a caller's JavaScript may have made.
 * @throws InvalidArgumentError for anything else, and for a Response that was returned and read before.
 */
export function checkResponse(response: TransportResponse | undefined): asserts response is TransportResponse {
  try {
    const { headers, status, bodyUsed } = Object(response);
    const isWhole = hasMethod(headers, 'get') && hasMethod(response, 'blob') && !bodyUsed;
    if (isWhole && Number.isInteger(status)) return;
  } catch {
    // A Proxy of a Response, or a getter that throws.
  }
  throw new InvalidArgumentError('fetch or transport', 'expected a new Response, not { ok, json }');
}

/** Creates a transport directly over the caller's `fetch`, or the runtime's. */
export const fetchTransport = (fetch: FetchLike | undefined) => ({
  // Looked up at call time, so that later interception takes effect.
  send: async (url: string, request: TransportRequest): Promise<Response> =>
    // A function of the caller may return no object, which ky cannot pass on.
    withBytes(Object(await (fetch ?? globalThis.fetch)(url, request))),
});

/** Disables what this package does itself. Omits ky's defaults, because ky merges options for each call. */
export const passedThrough = { retry: 0, timeout: false, throwHttpErrors: false } as const;

/**
 * Sends through ky, with its timeout, retries and error throwing disabled. Everything but the URL bypasses ky's own
 * `Request`: a body is encoded once, and a `Request` with a signal would lose the abort of a body to the garbage
 * collector.
 * @param load returns ky or a promise of it; called for each request.
 */
export function kyTransport(fetch: FetchLike | undefined, load: () => KyInstance | Promise<KyInstance>): Transport {
  const plain = fetchTransport(fetch);
  return {
    send: async (url, request) => (await load())(url, { ...passedThrough, fetch: () => plain.send(url, request) }),
  };
}

/** Options that a caller's instance must not set, because this package controls URL, query, body and transport. */
const refused = ['prefix', 'baseUrl', 'searchParams', 'json', 'body', 'fetch'] as const;

/** Reads a caller's own instance. */
export const readKy = transform(
  accepting<KyInstance>('an instance of ky', (value) => hasMethod(value, 'extend')),
  (instance, reading) => {
    instance.extend((set) => {
      const wrong = refused.find((name) => set[name]);
      if (wrong) reading.report(`the instance must not set ${wrong}`);
      return {};
    });
    return instance;
  },
);

/** The runtime of bundles with the condition `without-ky`: requests go to `fetch` itself. */
export const runtime: Runtime = { transport: fetchTransport };
