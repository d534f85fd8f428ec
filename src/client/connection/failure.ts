import { runtime } from '#runtime';
import { type ArangoServicesError, type CallInfo, isArangoServicesError } from '../../base/arango-services-error.js';
import { HttpError, type NeededPermission, NetworkError } from '../../base/errors.js';
import { readRetryAfter } from '../../base/lib/backoff.js';
import { causesOf } from '../../base/lib/causes.js';
import { formatIssuePath } from '../../base/lib/text/paths.js';
import { cutUrls, type ShowText } from '../../base/secrets/filter.js';
import { nameCall } from './call.js';
import type { Deadline } from './deadline.js';
import type { PreparedCall } from './prepared-call.js';
import { decode, kindOf, readUpTo } from './response.js';
import type { TransportResponse } from './transport.js';

const runtimeCode = /^[A-Z][A-Z\d_]{1,63}$/;
const longestCause = 200;

/** Converts anything thrown while sending, `isStreamed` if the body was a stream, to an error without secrets. */
export function toFailure(
  error: unknown,
  { callInfo, deadline }: Pick<PreparedCall, 'callInfo'> & { readonly deadline?: Deadline | undefined },
  show: ShowText,
  isStreamed?: boolean,
): ArangoServicesError {
  if (deadline?.failure) return deadline.failure;
  if (isArangoServicesError(error)) return nameCall(error, callInfo);
  let code: string | undefined;
  let text = '';
  let isBare = true;
  try {
    const explained = runtime.explain?.(error, callInfo);
    if (explained) return explained;
    const causes = causesOf(error);
    // The code says most: ECONNREFUSED, ENOTFOUND, ECONNRESET, UND_ERR_SOCKET.
    code = causes.map((cause) => String(cause.code)).find((value) => runtimeCode.test(value));
    const { name = 'Error', message } = causes.at(-1) ?? {};
    isBare = name === 'TypeError' || name === 'NotSupportedError';
    if (code === undefined && message) text = show(`${name}: ${cutUrls(String(message))}`).slice(0, longestCause);
  } catch {
    // A getter of a foreign error threw: report no details.
  }
  // Browsers report a plain TypeError (WebKit a NotSupportedError) without a code, and refuse streams over HTTP/1.1.
  const hint = isStreamed && isBare && code === undefined ? ' (needs HTTP/2; see uploadWithProgress)' : '';
  return new NetworkError(callInfo, text + hint, code);
}

const errorBodyBytes = 1_048_576;

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

/** The faults of fields with their paths, of FastAPI and problem details, without those that must not be shown. */
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

/** Reads an error body as JSON; as text if its type is not that of JSON, or its content is not JSON. */
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
