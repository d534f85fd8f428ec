import { hasMethod } from '../../base/lib/values.js';
import {
  type Fetch,
  type HandleRequest,
  hasNoBody,
  type NeutralBody,
  type NeutralRequest,
  type NeutralResponse,
  type RequestStream,
} from '../wire/http.js';
import { untilAborted } from '../wire/until-aborted.js';
import { encodeTextBody, type FetchBody, readFetchBody, readRequestBody } from './fetch-body.js';

function cloneWithUrl(this: Response): Response {
  return withUrl(Response.prototype.clone.call(this), this.url, this.redirected);
}

/** Sets `url`, which the Response constructor does not accept, without loading fetch up front. */
function withUrl(response: Response, url: string, redirected: boolean): Response {
  Object.defineProperty(response, 'url', { value: url });
  Object.defineProperty(response, 'clone', { value: cloneWithUrl });
  return redirected ? Object.defineProperty(response, 'redirected', { value: true }) : response;
}

// A URL that parsing would not change, so parsing can be skipped.
const plainUrl =
  /^(https?:\/\/[a-z0-9.-]+(?::[1-9]\d*)?)(\/[\w\-.~!$&()*+,;=:@%/]*)?(?:\?([\w\-.~!$&()*+,;=:@%/?]*))?$/;
const defaultPort = /^(?:http:\/\/[^:]*:80|https:\/\/[^:]*:443)$/;
const forbidden = /^(?:connect|trace|track)$/i;
const normalized = /^(?:get|post|put|delete|head|options)$/i;
const redirects = new Set([301, 302, 303, 307, 308]);

const plainName = /^[a-z0-9-]+$/;
// Printable ASCII without white space at the ends, which Headers would not change.
const plainValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/** Reads the headers of a call. A plain record needs no Headers object, which is half the cost of a call. */
function readFetchHeaders(init: HeadersInit | undefined): Headers | Map<string, string> {
  if (init === undefined) return new Map();
  if (Object.getPrototypeOf(init) !== Object.prototype) return new Headers(init);
  const plain = new Map<string, string>();
  for (const [key, value] of Object.entries(init)) {
    const name = key.toLowerCase();
    if (typeof value !== 'string' || !plainName.test(name) || !plainValue.test(value) || plain.has(name))
      return new Headers(init);
    plain.set(name, value);
  }
  return plain;
}

type RequestUrl = { readonly url: string; readonly path: string; readonly query: string };

function parseUrl(input: string): RequestUrl {
  const plain = plainUrl.exec(input);
  const [, origin = '', path = '/', query = ''] = plain ?? [];
  if (plain && !path.includes('/.') && !/%2e/i.test(path) && !defaultPort.test(origin)) {
    return { url: plain[2] === undefined ? `${origin}/${input.slice(origin.length)}` : input, path, query };
  }
  const url = new URL(input, globalThis.location?.href);
  if (!/^https?:/.test(url.protocol)) throw new TypeError('fetch failed');
  if (url.username || url.password) throw new TypeError('A URL for fetch must not hold credentials');
  url.hash = '';
  return { url: url.href, path: url.pathname, query: url.search.slice(1) };
}

/** The error of `fetch` for a call without a response. */
const failed = (code: string): TypeError => new TypeError('fetch failed', { cause: { code } });

/** The method in the case in which `fetch` sends it. */
function methodOf(method: string): string {
  if (forbidden.test(method)) throw new TypeError(`fetch refuses the method ${method}`);
  return normalized.test(method) ? method.toUpperCase() : method;
}

/** The target of a redirect. Those to other hosts fail, because there is only the mock. */
function targetOf(location: string, from: RequestUrl): RequestUrl {
  const next = new URL(location, from.url);
  if (next.origin !== new URL(from.url).origin) throw failed('ENOTFOUND');
  return parseUrl(next.href);
}

function toFetchResponse(
  response: NeutralResponse,
  to: RequestUrl,
  redirected: boolean,
  signal?: AbortSignal | null,
): Response {
  if (response.drop === true) throw failed('ECONNRESET');
  const { status } = response;
  let body: NeutralBody | null = hasNoBody(status) ? null : (response.body ?? null);
  if (body instanceof ReadableStream && signal) body = untilAborted(body, signal, () => signal.reason);
  const headers = response.headers as [string, string][]; // The constructor only reads it.
  const init = { status, statusText: statusTexts[status] ?? '', headers };
  return withUrl(new Response(body, init), to.url, redirected);
}

const statusTexts: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  302: 'Found',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

const headerOf = ({ headers }: NeutralResponse, wanted: string): string | undefined =>
  headers.find(([name]) => name === wanted)?.[1];

/** Waits for the mock, but rejects once the signal aborts. */
function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The body of a call: read, or a stream for a service that takes streams. */
type SentBody = Partial<FetchBody> & { readonly stream?: RequestStream };

/** A request on its way to the mock. */
type SentRequest = NeutralRequest & RequestUrl & { readonly headers: Headers | Map<string, string> };

/** The request after a redirect, without the body where the method becomes GET. */
function redirect(sent: SentRequest, status: number, location: string): SentRequest {
  const { method, headers } = sent;
  const to = targetOf(location, sent);
  if (status === 303 ? method === 'HEAD' : status > 303 || method !== 'POST') {
    // A stream that was sent cannot be sent again.
    if (sent.stream) throw failed('REDIRECT');
    return { ...sent, ...to };
  }
  for (const part of ['type', 'length', 'encoding', 'language']) headers.delete(`content-${part}`);
  return { method: 'GET', headers, ...to };
}

/** Creates the `fetch` of a mock, with the rules of fetch for signals, redirects and requests. Ignores the host. */
export function createFetch(
  handle: HandleRequest,
  currentEpoch: () => AbortSignal,
  bodyBytes: number,
  streams: (method: string, path: string) => boolean,
): Fetch {
  const used = new WeakSet<Request>();

  /** Reads a body: a stream as it is for a service that takes streams, others as a whole. Throws where fetch does. */
  function readBody(method: string, path: string, own: unknown, request?: Request): SentBody | Promise<SentBody> {
    if (own === null && request && (request.bodyUsed || request.body?.locked || used.has(request))) {
      throw new TypeError('the Request has been used');
    }
    const source = own ?? request?.body ?? null;
    if (source !== null && (method === 'GET' || method === 'HEAD')) {
      throw new TypeError('GET and HEAD have no body');
    }
    const isStream = streams(method, path);
    if (isStream && hasMethod(source, 'getReader')) {
      // The body counts as used even if the handler does not read it.
      if (own === null && request) used.add(request);
      // The cast: a ReadableStream, in Node, is iterable.
      return { stream: source as unknown as RequestStream };
    }
    const cap = isStream ? Number.POSITIVE_INFINITY : bodyBytes;
    if (own !== null) return typeof own === 'string' ? encodeTextBody(own) : readFetchBody(own, cap);
    return request ? readRequestBody(request, cap) : {};
  }

  async function fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    let began: AbortSignal | undefined = currentEpoch();
    // Not `instanceof`: the caller may have another implementation of Request.
    const request = typeof input === 'object' && 'method' in input ? input : undefined;
    const signal = init.signal === undefined ? request?.signal : init.signal;
    if (signal?.aborted) throw signal.reason;
    const within = <T>(work: Promise<T>): Promise<T> => (signal ? until(work, signal) : work);
    const method = methodOf(init.method ?? request?.method ?? 'GET');
    const headers = readFetchHeaders(init.headers ?? request?.headers);
    const to = parseUrl(request === undefined ? String(input) : request.url);
    const reading = readBody(method, to.path, init.body ?? null, request);
    const { body, stream, type } = reading instanceof Promise ? await within(reading) : reading;
    if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type);
    let sent: SentRequest = { method, headers, body, stream, ...to };
    const mode = init.redirect ?? request?.redirect;
    for (let hops = 0; ; hops += 1) {
      const pending = handle(sent, signal ?? undefined, began);
      began = undefined; // A redirect's target is a new request, in the current epoch.
      const response = pending instanceof Promise ? await within(pending) : pending;
      const location = redirects.has(response.status) ? headerOf(response, 'location') : undefined;
      if (location === undefined || mode === 'manual') {
        const encoding = headerOf(response, 'content-encoding');
        // Few services of tests compress.
        const plain = encoding ? (await import('./decoded.js')).decoded(response, encoding) : response;
        return toFetchResponse(plain, sent, hops > 0, signal);
      }
      if (mode === 'error' || hops === 20) throw failed('REDIRECT');
      sent = redirect(sent, response.status, location);
    }
  }
  return fetch;
}
