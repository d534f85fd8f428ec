import type { CallInfo } from '../../base/arango-services-error.js';
import { ParseError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import { oneOf, wholeNumber } from '../../base/lib/readers.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
import { withBytes } from './fetch-transport.js';
import type { TransportResponse } from './transport.js';

/** How to read a body: `auto` follows the content type (JSON parsed, text as a string, anything else as bytes). */
export type ResponseType = 'auto' | 'json' | 'text' | 'bytes' | 'blob' | 'stream';

/** The body's type for each `responseType`, before a schema. An empty body is undefined; as text, the empty string. */
export interface ResponseBodies {
  auto: unknown;
  json: unknown;
  text: string;
  bytes: Bytes | undefined;
  blob: Blob | undefined;
  stream: ByteStream | undefined;
}

/** A response with status 2xx or 304. */
export interface RouteResponse<T = unknown> {
  /** The parsed body; undefined for HEAD, 204, 205, 304 and an empty body (`''` with `responseType: 'text'`). */
  readonly body: T;
  /** The HTTP status. */
  readonly status: number;
  /** The status text; empty over HTTP/2. */
  readonly statusText: string;
  /** True if the status is 2xx. */
  readonly ok: boolean;
  /** The headers of the response. */
  readonly headers: Headers;
  /** The final URL, after redirects. */
  readonly url: string;
  /** True if a redirect was followed. */
  readonly redirected: boolean;
}

const json = /^[^;]+[/+]json\s*(;|$)/i;
const text = /^(text\/|[^;]+[/+]xml\s*(;|$)|application\/x-www-form-urlencoded)/i;

export const responseTypeOption = oneOf<ResponseType>('auto', 'json', 'text', 'bytes', 'blob', 'stream');

/** Reads the body of a successful response that is not JSON. */
export async function readBody(response: TransportResponse, kind: 'text' | 'bytes' | 'blob'): Promise<unknown> {
  if (kind === 'blob') return notEmpty(await response.blob());
  const bytes = notEmpty(await response.bytes());
  return bytes && kind === 'text' ? decode(bytes, response) : bytes;
}

const notEmpty = <B extends Blob | Uint8Array>(body: B): B | undefined =>
  ('size' in body ? body.size : body.length) === 0 ? undefined : body;

/** Determines from the content type how to read a body. */
export function kindOf({ headers }: TransportResponse): 'json' | 'text' | 'bytes' {
  const contentType = headers.get('content-type') ?? '';
  if (json.test(contentType)) return 'json';
  return text.test(contentType) ? 'text' : 'bytes';
}

/** Decodes text in the response's charset, else UTF-8. */
export function decode(bytes: Uint8Array, { headers }: TransportResponse): string {
  const charset = /;\s*charset="?([\w-]+)/i.exec(headers.get('content-type') ?? '')?.[1];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Reads at most this many bytes of a body; the rest is cancelled, which releases the socket. */
export async function readUpTo(response: TransportResponse, most: number): Promise<Uint8Array> {
  if (response.upTo) return response.upTo(most);
  const reader = response.body?.getReader?.();
  // Without a web stream, as of node-fetch and React Native, the body is read whole.
  const parts: BlobPart[] = reader ? [] : [await response.blob()];
  for (let left = most; reader && left > 0; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value.subarray(0, left));
    left -= value.length;
  }
  quietly(() => reader?.cancel());
  const [first] = parts;
  // Most bodies are one chunk.
  if (first instanceof Uint8Array && !parts[1]) return first;
  return new Uint8Array(await new Blob(parts).slice(0, most).arrayBuffer());
}

/** Reads a limit of a response body. */
export const maxBytesOption = wholeNumber('a whole number of bytes', 0, Number.MAX_SAFE_INTEGER);

/** Creates the error for a longer body. */
export const tooLong = (callInfo: CallInfo, status: number, maxBytes: number | undefined): ParseError =>
  new ParseError(callInfo, status, '', { problem: `answered with more than ${maxBytes} bytes (maxBytes)` });

/** Returns a response with a body of at most so many bytes, decompressed; throws ParseError for a longer one. */
export async function readLimited(
  response: TransportResponse,
  maxBytes: number,
  callInfo: CallInfo,
): Promise<TransportResponse> {
  const bytes = await readUpTo(response, maxBytes + 1);
  if (bytes.length > maxBytes) throw tooLong(callInfo, response.status, maxBytes);
  // The casts: the bytes of a response are never shared, and headers of a transport are iterable.
  return withBytes(new Response(bytes as BodyInit, { headers: response.headers as unknown as HeadersInit }));
}
