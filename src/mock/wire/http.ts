import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
/** Read access to request headers; both `Headers` and a `Map` with lower-case names fit. */
export interface ReadableHeaders {
  /** The value of a header by its lower-case name; several are joined with `, `. */
  get(name: string): string | null | undefined;
  /** All headers, by lower-case names. */
  entries(): Iterable<[string, string]>;
}

/** A transport-neutral request, as every adapter passes it in. */
export interface NeutralRequest {
  /** The method as it was sent. */
  readonly method: string;
  /** The path as it was sent, percent-encoded, without its query. */
  readonly path: string;
  /** The query without its `?`; empty when there is none. */
  readonly query: string;
  /** The headers, in the adapter's own form. */
  readonly headers: ReadableHeaders;
  /** True if the request has several `Authorization` headers; adapters that get them joined cannot tell. */
  readonly twoAuthorizations?: boolean;
  /**
   * The body: text if the adapter has text, else bytes. An adapter reads at most one byte more than `limits.bodyBytes`.
   */
  readonly body?: string | Uint8Array | undefined;
  /** The body as chunks that are read as needed, in place of `body`, for an endpoint that takes streams. */
  readonly stream?: RequestStream | undefined;
  /** The URL, if no HTTP client may have added `host` and the other usual headers. */
  readonly url?: string | undefined;
  /** True if the request arrives at the gateway, which does not route the integration services. */
  readonly atGateway?: boolean;
}

/** The body of a request as a stream. */
export type RequestStream = AsyncIterable<Uint8Array>;

/** The body of a response. Only custom routes return streams. */
export type NeutralBody = string | Bytes | ByteStream | undefined;

/** A transport-neutral response. */
export interface NeutralResponse {
  /** 200 to 599; 0 if the connection is dropped. */
  readonly status: number;
  /** Lower-case names; a name may occur more than once (`set-cookie`). */
  readonly headers: readonly (readonly [string, string])[];
  /** The body; undefined in the response to a HEAD. */
  readonly body?: NeutralBody;
  /** True if the connection is dropped instead: by a scripted fault, or because the mock was restored. */
  readonly drop?: boolean;
}

/** The headers of a response. */
export type NeutralHeaders = NeutralResponse['headers'];

/** The headers of a custom response. A list, as of `set-cookie`, is sent as several. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Drops the connection without a response. */
export const dropped: NeutralResponse = { status: 0, headers: [], drop: true };

/** True for a status that allows no body; a `Response` rejects one. */
export const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** The group of services below a path, which determines the form of errors. */
export type Family = 'services' | 'database';

/** gRPC codes and the HTTP status that the services' gateway gives them. Source: docs/wire.md, "Common rules". */
const statusOf = {
  1: 499,
  2: 500,
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  15: 500,
  16: 401,
} as const;

/** A gRPC code that the services answer with. */
export type GrpcCode = keyof typeof statusOf;

/** True for such a code. */
export const isGrpcCode = (value: unknown): value is GrpcCode =>
  typeof value === 'number' && Object.hasOwn(statusOf, value);

/** The gRPC code of a status: the first if several have it, Unknown if none has. */
export function grpcCodeForStatus(status: number): number {
  return Number(Object.entries(statusOf).find(([, httpStatus]) => httpStatus === status)?.[0] ?? 2);
}

/** An error that a service answers on purpose. */
export class ServiceFailure extends Error {
  readonly code: GrpcCode;

  constructor(code: GrpcCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A request that an HTTP server refuses before any service sees it. */
export class MalformedRequest extends Error {}

/** An error in the database's own form. */
export class DatabaseFailure extends Error {
  readonly status: number;
  readonly errorNum: number;

  constructor(status: number, errorNum: number, message: string) {
    super(message);
    this.status = status;
    this.errorNum = errorNum;
  }
}

const jsonType: readonly [string, string] = ['content-type', 'application/json'];

/** A response whose body is already JSON text. */
export const jsonText = (body: string, status = 200): NeutralResponse => ({ status, headers: [jsonType], body });

/** A JSON response. */
export function json(value: unknown, status = 200, headers: NeutralHeaders = []): NeutralResponse {
  return { status, headers: [jsonType, ...headers], body: JSON.stringify(value) };
}

function serviceError(code: GrpcCode, message: string): NeutralResponse {
  const headers = code === 16 ? ([['www-authenticate', headerText(message)]] as const) : undefined;
  return json({ code, message, details: [] }, statusOf[code], headers);
}

function databaseError(status: number, errorNum: number, message: string): NeutralResponse {
  return json({ error: true, code: status, errorNum, errorMessage: message }, status);
}

/** True for an error that is a response on purpose. */
export const isFailure = (error: unknown): boolean =>
  error instanceof ServiceFailure || error instanceof DatabaseFailure || error instanceof MalformedRequest;

const badRequest: NeutralResponse = {
  status: 400,
  headers: [['content-type', 'text/plain; charset=utf-8']],
  body: '400 Bad Request',
};

/** The response to an error; unexpected errors stay opaque. */
export function failureResponse(error: unknown, family: Family): NeutralResponse {
  if (error instanceof ServiceFailure) return serviceError(error.code, error.message);
  if (error instanceof MalformedRequest) return badRequest;
  if (error instanceof DatabaseFailure) return databaseError(error.status, error.errorNum, error.message);
  return family === 'services' ? serviceError(13, 'Internal error') : databaseError(500, 4, 'internal error');
}

/** Text as a header value, as a Go server sends it: UTF-8 bytes, with spaces for control characters. */
export function headerText(text: string): string {
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these may not stand in a header.
  const line = text.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, ' ');
  return String.fromCharCode(...new TextEncoder().encode(line.slice(0, 4096)));
}

/** A fetch function. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Answers a transport-neutral request; the entry point of all adapters. `signal` is aborted when the caller gives up.
 * `began` is the epoch in which the request began, for adapters that read the body first; default: the current one.
 */
export type HandleRequest = (
  request: NeutralRequest,
  signal?: AbortSignal,
  began?: AbortSignal,
) => NeutralResponse | Promise<NeutralResponse>;
