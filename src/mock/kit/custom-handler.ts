import { hasMethod } from '../../base/lib/values.js';
import type { ByteStream } from '../../base/lib/web-types.js';
import type { Platform } from '../platform.js';
import type { Endpoint } from '../server/endpoints.js';
import { dropped, type NeutralResponse, type ResponseHeaders } from '../wire/http.js';
import type { Exchange, Params } from '../wire/mock-exchange.js';
import { untilAborted } from '../wire/until-aborted.js';
import { withFields } from './shown-headers.js';
import type { streamBody } from './streamed-body.js';

/** A request as a custom route sees it. */
export interface CustomRequest {
  /** The method as it was sent. */
  readonly method: string;
  /** The path as it was sent. */
  readonly path: string;
  /** The pattern's `:name`s, decoded; `params['*']` is what a trailing wildcard matched. */
  readonly params: Params;
  /** The parameters of the query, decoded. */
  readonly query: URLSearchParams;
  /** The query as it was sent, without `?`. */
  readonly search: string;
  /** All headers, credentials included: `headers.get('x-tenant')` or, in lower case, `headers['x-tenant']`. */
  readonly headers: Headers & Readonly<Record<string, string>>;
  /**
   * By the content type: JSON parsed (text if it is invalid), `text/*`, XML and `application/x-www-form-urlencoded` as
   * text, all others, encoded bodies and those without a type as bytes; `undefined` without a body.
   */
  readonly body: unknown;
  /** The authenticated user, if the path requires credentials. */
  readonly user: string | undefined;
}

/**
 * The response of a custom route: a JSON value, text, bytes, or a stream or async iterable of them as `body`, with
 * `status` 200 by default, or a whole Response. With the content type `text/event-stream` an iterable may yield events
 * (`{ data, event, id, retry }`), with `application/x-ndjson` values of all kinds. `Response.error()` drops the
 * connection.
 */
export type CustomResponse =
  | Response
  | { readonly status?: number | undefined; readonly headers?: ResponseHeaders | undefined; readonly body?: unknown };

/** Reads the headers of a response. Throws for what HTTP does not allow. */
export const readResponseHeaders = (headers: ResponseHeaders = {}): Headers =>
  new Headers(
    Symbol.iterator in headers
      ? // A Headers object, or pairs.
        (headers as unknown as Headers)
      : Object.entries(headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((text): [string, string] => [name, text]),
        ),
  );

/**
 * Answers the requests of a custom route. If it throws, the response is an opaque 500 and the request log has the error
 * as `thrown`.
 */
export type CustomHandler = (request: CustomRequest) => CustomResponse | Promise<CustomResponse>;

/** A request whose body is read as a stream. */
export interface StreamedRequest extends Omit<CustomRequest, 'body'> {
  /**
   * The bytes as they arrive, of any length: the mock reads no faster than the handler, and the sender waits.
   * `undefined` without a body.
   */
  readonly body: ByteStream | undefined;
}

/** Answers the requests of a custom route with `{ body: 'stream' }`. */
export type StreamHandler = (request: StreamedRequest) => CustomResponse | Promise<CustomResponse>;

/** Options of a custom route. */
export interface CustomRouteOptions {
  /** `stream` gives the handler the body as a `ReadableStream`, without the limit `limits.bodyBytes`. Default: read. */
  readonly body?: 'stream' | undefined;
}

/** True for a body that is sent piece by piece. */
export const isStreamed = (body: unknown): body is AsyncIterable<unknown> | ReadableStream =>
  hasMethod(body, 'getReader') || hasMethod(body, Symbol.asyncIterator);

/** Encodes a response; `accept` is the header of its request. Throws for a body in pieces without `toStream`. */
export function encodeResponse(
  response: CustomResponse,
  accept?: string | null,
  toStream?: typeof streamBody,
): NeutralResponse {
  if (response instanceof Response) {
    if (response.type === 'error') return dropped;
    // The body of a response of `fetch` is decoded already.
    const headers = [...response.headers].filter(([name]) => response.url === '' || !/^content-(?:enc|len)/.test(name));
    return { status: response.status, headers, body: (response.body as ByteStream | null) ?? undefined };
  }
  const { status = 200, headers: fields, body } = response;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError('expected a status from 200 to 599');
  // Rejects invalid headers early, as an error of the handler.
  const headers = readResponseHeaders(fields);
  let sent: NeutralResponse['body'];
  let type: string | undefined;
  if (ArrayBuffer.isView(body)) sent = new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  else if (body instanceof ArrayBuffer) sent = new Uint8Array(body.slice(0));
  else if (isStreamed(body)) {
    if (!toStream) throw new TypeError('a stream');
    type = headers.get('content-type') ?? (accept === 'text/event-stream' ? accept : 'application/octet-stream');
    sent = toStream(body, type);
  } else if (body !== undefined) {
    const isText = typeof body === 'string';
    type = isText ? 'text/plain;charset=UTF-8' : 'application/json';
    sent = isText ? body : JSON.stringify(body);
    if (sent === undefined) throw new TypeError('expected a value that JSON can hold');
  }
  if (type && !headers.has('content-type')) headers.set('content-type', type);
  return { status, headers: [...headers], body: sent };
}

/** The headers that Node's `fetch` adds, for requests without a connection. */
const ofFetch = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
};

/** The headers that the gateway passes on: the same ones by every adapter. */
function passedOn({ headers, request: { method, stream, url } }: Exchange, length = 0): Headers {
  const passed = new Map(headers.entries());
  for (const name of ['connection', 'keep-alive', 'transfer-encoding']) passed.delete(name);
  if (url === undefined) return new Headers([...passed]);
  const hasLength = stream === undefined && (length > 0 || /^P(?:OS|U)T$/.test(method));
  const added = { ...ofFetch, host: new URL(url).host, ...(hasLength && { 'content-length': `${length}` }) };
  return new Headers({ ...added, ...Object.fromEntries(passed) });
}

/** The content types that the client reads as text, too; the group holds that of JSON. */
const textual = /^(?:[^;]+[/+](?:xml|(json))\s*(?:;|$)|text\/|application\/x-www-form-urlencoded)/i;

/** The request as a handler sees it, with the headers that the gateway passes on. */
export function customRequest(exchange: Exchange, path: string = exchange.request.path): CustomRequest {
  const { method, query, body, headers } = exchange.request;
  // Text is encoded, so that a handler gets the same value in memory and over a port.
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return {
    method,
    path,
    // A copy, because the handler may change it, and the router has the next request at this path share it.
    params: { ...exchange.params },
    query: new URLSearchParams(query),
    search: query,
    headers: withFields(passedOn(exchange, bytes?.length)),
    get body() {
      if (!bytes?.length) return undefined;
      // An encoded body is bytes, whatever it is the encoding of.
      const type = headers.get('content-encoding') ? null : textual.exec(headers.get('content-type') ?? '');
      if (!type) return bytes;
      const text = new TextDecoder().decode(bytes);
      try {
        // A new value each time, because the handler may change it.
        return type[1] ? JSON.parse(text) : text;
      } catch {
        return text;
      }
    },
    user: exchange.user,
  };
}

/** Runs a handler and encodes its response, whose stream fails when the epoch of the request ends. */
export async function runHandler(
  exchange: Exchange,
  { epochs }: Platform,
  run: () => CustomResponse | Promise<CustomResponse>,
): Promise<NeutralResponse> {
  const response = await epochs.run(exchange, run);
  // Few handlers answer in pieces.
  const toStream = isStreamed(response.body) ? (await import('./streamed-body.js')).streamBody : undefined;
  const encoded = encodeResponse(response, exchange.headers.get('accept'), toStream);
  const { body: sent } = encoded;
  return sent instanceof ReadableStream ? { ...encoded, body: untilAborted(sent, exchange.epoch) } : encoded;
}

/** The endpoint of a custom route. */
export function customEndpoint(handler: CustomHandler): Endpoint {
  return { serve: (exchange, platform) => runHandler(exchange, platform, () => handler(customRequest(exchange))) };
}

/** The endpoint of a custom route that reads bodies as streams. */
export const streamedEndpoint = (handler: StreamHandler): Endpoint => ({
  async serve(exchange, platform) {
    const { bodyStream } = await import('./streamed-body.js');
    return runHandler(exchange, platform, () => {
      const body = bodyStream(exchange);
      return handler(Object.defineProperty(customRequest(exchange), 'body', { value: body }) as StreamedRequest);
    });
  },
  streams: () => true,
});
