import type { ByteStream, Bytes } from '../../lib/web-types.js';
/** What the mock reads of request headers; both `Headers` and a `Map` with lower-case names fit. */
export interface HeaderSource {
  /** The value of a header by its lower-case name; several are joined with `, `. */
  get(name: string): string | null | undefined;
  /** All headers, by lower-case names. */
  entries(): Iterable<[string, string]>;
}

/** A request as every way into the mock hands it over. */
export interface NeutralRequest {
  /** The method as it was sent. */
  readonly method: string;
  /** The path as it was sent, percent-encoded, without its query. */
  readonly path: string;
  /** The query without its `?`; empty when there is none. */
  readonly query: string;
  /** The headers as the way in has them. */
  readonly headers: HeaderSource;
  /**
   * The body: text where the way in has it as text, else bytes. An adapter reads one byte more than `limits.bodyBytes`
   * at most.
   */
  readonly body?: string | Uint8Array | undefined;
}

/** The body of an answer. A stream only ever comes from a custom route. */
export type NeutralBody = string | Bytes | ByteStream | undefined;

/** An answer as every way out of the mock sends it. */
export interface NeutralResponse {
  /** 200 to 599; 0 where the connection is dropped. */
  readonly status: number;
  /** Lower-case names; a name may come more than once (`set-cookie`). */
  readonly headers: readonly (readonly [string, string])[];
  /** None for a HEAD. */
  readonly body?: NeutralBody;
  /** True when the connection is closed instead of answered: by a scripted fault, or because the mock was restored. */
  readonly drop?: boolean;
}

/** The headers of an answer. */
export type NeutralHeaders = NeutralResponse['headers'];

/** The connection is closed without an answer. */
export const dropped: NeutralResponse = { status: 0, headers: [], drop: true };

/** Whether HTTP allows no body with a status; a `Response` refuses one. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Who answers below a path, and so the form of its errors. */
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

/** Whether a value is such a code. */
export const isGrpcCode = (value: unknown): value is GrpcCode =>
  typeof value === 'number' && Object.hasOwn(statusOf, value);

/** The code whose status this is, the first one where several have it; Unknown where none has. */
export function grpcCodeForStatus(status: number): number {
  return Number(Object.entries(statusOf).find(([, one]) => one === status)?.[0] ?? 2);
}

/** A failure that a service means to answer. */
export class ServiceFailure extends Error {
  readonly code: GrpcCode;

  constructor(code: GrpcCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A failure in the database's own form. */
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
const jsonHeaders: NeutralHeaders = [jsonType];

/** An answer whose body is already JSON text. */
export function jsonText(body: string, status = 200): NeutralResponse {
  return { status, headers: jsonHeaders, body };
}

/** A JSON answer. */
export function json(value: unknown, status = 200, headers?: NeutralHeaders): NeutralResponse {
  const body = JSON.stringify(value);
  return { status, headers: headers === undefined ? jsonHeaders : [jsonType, ...headers], body };
}

function serviceError(code: GrpcCode, message: string): NeutralResponse {
  const headers = code === 16 ? ([['www-authenticate', headerText(message)]] as const) : undefined;
  return json({ code, message, details: [] }, statusOf[code], headers);
}

function databaseError(status: number, errorNum: number, message: string): NeutralResponse {
  return json({ error: true, code: status, errorNum, errorMessage: message }, status);
}

/** The answer for anything that was thrown below a path; what was not meant to be answered stays opaque. */
export function failureResponse(error: unknown, family: Family): NeutralResponse {
  if (error instanceof ServiceFailure) return serviceError(error.code, error.message);
  if (error instanceof DatabaseFailure) return databaseError(error.status, error.errorNum, error.message);
  return family === 'services' ? serviceError(13, 'Internal error') : databaseError(500, 4, 'internal error');
}

const utf8 = /* @__PURE__ */ new TextEncoder();

/**
 * Text as a header value: line breaks become spaces and what is beyond Latin-1 its UTF-8 bytes, as a Go server sends
 * it.
 */
export function headerText(text: string): string {
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these may not stand in a header.
  const line = text.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, ' ');
  return String.fromCharCode(...utf8.encode(line.slice(0, 4096)));
}

/**
 * Answers a neutral request; the one entry that every way into the mock uses. `signal` is aborted when the caller gives
 * up. `began` is the epoch in which the request began, for a way in that first had to read its body; by default the
 * current one.
 */
export type Handle = (
  request: NeutralRequest,
  signal?: AbortSignal,
  began?: AbortSignal,
) => NeutralResponse | Promise<NeutralResponse>;
