import { type CallInfo, HttpError, type NeededPermission } from '../../base/errors.js';
import { readRetryAfter } from '../../base/lib/backoff.js';
import { quietly } from '../../base/lib/quietly.js';
import { oneOf } from '../../base/lib/readers.js';
import { formatIssuePath } from '../../base/lib/text/paths.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
import type { ShowText } from '../../base/secrets/filter.js';
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

const errorBodyBytes = 1_048_576;
const json = /^[^;]+[/+]json\s*(;|$)/i;
const text = /^(text\/|[^;]+[/+]xml\s*(;|$)|application\/x-www-form-urlencoded)/i;

export const responseTypeOption = oneOf<ResponseType>('auto', 'json', 'text', 'bytes', 'blob', 'stream');

/** Reads the body of a successful response that is not JSON. */
export async function readBody(response: TransportResponse, kind: 'text' | 'bytes' | 'blob'): Promise<unknown> {
  if (kind === 'blob') return notEmpty(await response.blob());
  const bytes = notEmpty(await response.bytes());
  return bytes && kind === 'text' ? decode(bytes, response) : bytes;
}

/** The call that a response belongs to, for errors. */
interface AskedCall {
  readonly callInfo: CallInfo;
  /** Set if the response may contain secrets. */
  readonly confidential?: readonly string[] | undefined;
  readonly service?: { readonly needs?: NeededPermission | undefined } | undefined;
}

/** Reads an error response of up to 1 MiB: the services' format, the database's format, or any other. */
export async function readHttpError(
  response: TransportResponse,
  { callInfo, confidential, service }: AskedCall,
  show: ShowText,
): Promise<HttpError> {
  const isConfidential = confidential !== undefined;
  const body = readErrorBody(await readUpTo(response, errorBodyBytes), response);
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { title, detail, error, errors, code, message, details, errorNum, errorMessage } = fields;
  // The database repeats the HTTP status in `code`; a service puts its gRPC code there.
  const database = error === true || errorNum !== undefined;
  // The services' format, problem details, FastAPI's, or `{error: …}`.
  const faults = faultsIn(Array.isArray(detail) ? detail : errors, show);
  const problem = [title, detail, faults].filter((text) => text && typeof text === 'string').join(': ');
  const reason = database ? errorMessage : typeof message === 'string' ? message : problem || error;
  return new HttpError(callInfo, {
    status: response.status,
    reason: (typeof reason === 'string' && show(reason)) || show(response.statusText),
    grpcCode: database ? undefined : integerOf(code),
    errorNum: integerOf(errorNum),
    requestId: show(response.headers.get('x-request-id') ?? '') || undefined,
    retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
    needs: response.status === 403 ? service?.needs : undefined,
    body: isConfidential ? undefined : body,
    details: !isConfidential && Array.isArray(details) ? details : [],
  });
}

const mostFaults = 10;

/**
 * The faults of fields with their paths: `loc` and `msg` of FastAPI, `pointer` and `detail` of problem details. Each is
 * left out by itself if it must not be shown.
 */
const faultsIn = (list: unknown, show: ShowText): string =>
  (Array.isArray(list) ? list.slice(0, mostFaults) : [])
    .map((fault) => {
      const { loc, pointer, msg, detail = msg } = Object(fault);
      const at: PropertyKey[] = Array.isArray(loc) ? loc : `${pointer ?? ''}`.split('/').slice(1);
      const path = formatIssuePath(at.length > 1 && at[0] === 'body' ? at.slice(1) : at);
      return typeof detail === 'string' && detail ? show([path, detail].filter(Boolean).join(': ')) : '';
    })
    .filter(Boolean)
    .join('; ');

const integerOf = (value: unknown) => (Number.isInteger(value) ? (value as number) : undefined);

const notEmpty = <B extends Blob | Uint8Array>(body: B): B | undefined =>
  ('size' in body ? body.size : body.length) === 0 ? undefined : body;

/** Determines from the content type how to read a body. */
export function kindOf({ headers }: TransportResponse): 'json' | 'text' | 'bytes' {
  const contentType = headers.get('content-type') ?? '';
  if (json.test(contentType)) return 'json';
  return text.test(contentType) ? 'text' : 'bytes';
}

/** Decodes text in the response's charset, else UTF-8. */
function decode(bytes: Uint8Array, { headers }: TransportResponse): string {
  const charset = /;\s*charset="?([\w-]+)/i.exec(headers.get('content-type') ?? '')?.[1];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Reads an error body as JSON or text; a body with a JSON type that is not JSON remains text, like one without a type.
 */
function readErrorBody(bytes: Uint8Array, response: TransportResponse): unknown {
  const kind = kindOf(response);
  if (bytes.length === 0) return undefined;
  if (kind === 'bytes' && response.headers.get('content-type') != null) return bytes;
  const body = decode(bytes, response);
  try {
    return kind === 'text' ? body : JSON.parse(body);
  } catch {
    return body;
  }
}

/** Reads at most this many bytes of a body; the rest is cancelled, which releases the socket. */
export async function readUpTo(response: TransportResponse, most: number): Promise<Uint8Array> {
  if (response.upTo) return response.upTo(most);
  const bytes: Uint8Array[] = [];
  const reader = response.body?.getReader();
  for (let left = most; reader && left > 0; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.push(value.subarray(0, left));
    left -= value.length;
  }
  quietly(() => reader?.cancel());
  const [first] = bytes;
  // Most bodies are one chunk.
  return first && !bytes[1] ? first : new Uint8Array(await new Blob(bytes as BlobPart[]).arrayBuffer());
}
