import { type CallSite, expected, HttpError, ParseError } from '../errors.js';

/** How a body is read: `auto` follows the content type (JSON parsed, text as a string, anything else as bytes). */
export type ResponseType = 'auto' | 'json' | 'text' | 'bytes' | 'blob' | 'stream';

/** What a body is for each `responseType`, before a schema. A body that is empty is undefined. */
export interface ResponseBodies {
  auto: unknown;
  json: unknown;
  text: string | undefined;
  bytes: Uint8Array<ArrayBuffer> | undefined;
  blob: Blob | undefined;
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
}

/** An answer of the server with status 2xx or 304. */
export interface RouteResponse<T = unknown> {
  /** The parsed body; undefined for HEAD, 204, 205, 304 and an empty body. */
  readonly body: T;
  readonly status: number;
  readonly statusText: string;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  readonly headers: Headers;
  /** The URL that answered, after redirects. */
  readonly url: string;
  /** Whether a redirect was followed. */
  readonly redirected: boolean;
}

const errorBodyBytes = 1_048_576;
const responseTypes: ReadonlySet<unknown> = new Set(['auto', 'json', 'text', 'bytes', 'blob', 'stream']);
const json = /^(?:application\/json|[^;]+\+json)\s*(?:;|$)/i;
const text = /^(?:text\/|application\/xml\s*(?:;|$)|[^;]+\+xml\s*(?:;|$)|application\/x-www-form-urlencoded)/i;
const nullBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** @throws InvalidArgumentError */
export function readResponseType(value: unknown, field = 'responseType'): ResponseType {
  if (responseTypes.has(value)) return value as ResponseType;
  throw expected(field, `one of ${[...responseTypes].join(', ')}`, value);
}

/** Whether an answer can have a body at all. */
export function hasBody(method: string, response: Response): boolean {
  return method !== 'HEAD' && response.body !== null && !nullBody.has(response.status);
}

/** Reads a good answer's body. `confidential` keeps the text of a body that is not JSON out of the error. */
export async function readBody(
  response: Response,
  type: Exclude<ResponseType, 'stream'>,
  site: CallSite,
  confidential: readonly string[] | undefined,
): Promise<unknown> {
  const contentType = response.headers.get('content-type') ?? '';
  const kind = type === 'auto' ? kindOf(contentType) : type;
  if (kind === 'blob') {
    const blob = await response.blob();
    return blob.size === 0 ? undefined : blob;
  }
  if (kind === 'bytes') {
    const bytes = new Uint8Array(await response.arrayBuffer());
    return bytes.length === 0 ? undefined : bytes;
  }
  const decoder = kind === 'text' ? foreignDecoder(contentType) : undefined;
  const body = decoder === undefined ? await response.text() : decoder.decode(await response.arrayBuffer());
  if (body === '') return undefined;
  if (kind === 'text') return body;
  try {
    return JSON.parse(body);
  } catch {
    throw new ParseError(site, response.status, confidential ? '' : body);
  }
}

function kindOf(contentType: string): 'json' | 'text' | 'bytes' {
  if (json.test(contentType)) return 'json';
  return text.test(contentType) ? 'text' : 'bytes';
}

/** A decoder for a charset that is not UTF-8, which `text()` would not know. */
function foreignDecoder(contentType: string): TextDecoder | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

/** Reads a failed answer: the services' form, the database's form, or whatever it is, up to 1 MiB. */
export async function readHttpError(
  response: Response,
  site: CallSite,
  confidential: readonly string[] | undefined,
): Promise<HttpError> {
  const body = response.body === null ? undefined : await readErrorBody(response);
  const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  // The database repeats the HTTP status in `code`; a service writes its gRPC code there.
  const database = 'errorNum' in said || 'errorMessage' in said || said.error === true;
  const message = database ? said.errorMessage : said.message;
  return new HttpError(site, {
    status: response.status,
    reason:
      typeof message === 'string' && message !== '' && !quotes(message, confidential)
        ? oneLine(message)
        : response.statusText,
    grpcCode: database ? undefined : wholeNumber(said.code),
    errorNum: wholeNumber(said.errorNum),
    requestId: response.headers.get('x-request-id') ?? undefined,
    body: confidential ? undefined : body,
    details: !confidential && Array.isArray(said.details) ? said.details : [],
  });
}

/** Whether a message of a confidential call quotes one of its secrets, as it is or escaped, or any JWT. */
const quotes = (message: string, secrets: readonly string[] = []) =>
  secrets.some(
    (secret) => secret !== '' && (message.includes(secret) || message.includes(JSON.stringify(secret).slice(1, -1))),
  ) || /\bey[\w-]{10,}\.[\w-]*\./.test(message);
const wholeNumber = (value: unknown) => (Number.isInteger(value) ? (value as number) : undefined);
const oneLine = (message: string) => message.replace(/\s+/g, ' ').trim().slice(0, 500);

async function readErrorBody(response: Response): Promise<unknown> {
  const contentType = response.headers.get('content-type') ?? '';
  const bytes = await readCapped(response);
  if (bytes.length === 0) return undefined;
  const kind = kindOf(contentType);
  if (kind === 'bytes' && contentType !== '') return bytes;
  const body = (foreignDecoder(contentType) ?? new TextDecoder()).decode(bytes);
  if (kind === 'text') return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** At most 1 MiB of a body; the rest is cancelled, which gives the socket back. */
async function readCapped(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value.subarray(0, errorBodyBytes - size));
    size += next.value.length;
    if (size >= errorBodyBytes) {
      void reader.cancel().catch(() => undefined);
      break;
    }
  }
  const bytes = new Uint8Array(Math.min(size, errorBodyBytes));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
