import type { CallInfo } from '../../base/arango-services-error.js';
import { NetworkError, ParseError, RedirectError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import type { ShowText } from '../../base/secrets/filter.js';
import { allows } from './call.js';
import type { Deadline } from './deadline.js';
import { readHttpError, toFailure } from './failure.js';
import { checkResponse } from './fetch-transport.js';
import type { PreparedCall } from './prepared-call.js';
import { kindOf, type RouteResponse, readBody, readLimited, tooLong } from './response.js';
import { validateBody } from './schema.js';
import { watchStream } from './stream.js';
import type { TransportResponse } from './transport.js';

/** The caller's response. `headers` is built lazily. */
export class ReceivedResponse implements RouteResponse {
  declare readonly body: unknown;
  declare readonly status: number;
  declare readonly statusText: string;
  declare readonly ok: boolean;
  declare readonly url: string;
  declare readonly redirected: boolean;
  readonly #given: TransportResponse['headers'];
  #headers: Headers | undefined;

  constructor({ status, statusText, headers }: TransportResponse, body: unknown, requestUrl: string, url: string) {
    this.body = body;
    this.status = status;
    this.statusText = statusText;
    this.ok = status >= 200 && status < 300;
    this.url = url;
    this.redirected = url !== requestUrl;
    this.#given = headers;
  }

  get headers(): Headers {
    const source = this.#given;
    this.#headers ??= source instanceof Headers ? source : new Headers([...source] as [string, string][]);
    return this.#headers;
  }
}

/**
 * Checks a transport's response, which may come from a caller's JavaScript.
 * @throws NetworkError if there was none; InvalidArgumentError if it is not a response; the error of the deadline if it
 * has passed.
 */
export function checkAnswer(
  response: TransportResponse | undefined,
  callInfo: CallInfo,
  { failure }: Deadline,
): TransportResponse {
  if (failure) {
    // For a `fetch` that ignores its signal: the body will never be read.
    quietly(() => response?.body?.cancel());
    throw failure;
  }
  checkResponse(response);
  if (response.type === 'error') throw new NetworkError(callInfo);
  return response;
}

/** Converts the server's response to the caller's, or throws the error that it represents. */
export async function readAnswer(
  call: PreparedCall,
  response: TransportResponse,
  url: string,
  show: ShowText,
): Promise<ReceivedResponse> {
  const { callInfo, confidential } = call;
  const readText = call.service?.readText;
  const { schema, responseType = 'auto', maxBytes, allowStatus } = call.options ?? {};
  const { status } = response;
  // With `all`, a redirect is read like a failure.
  if (status >= 400 || (allowStatus === 'all' && isRedirect(response))) throw await readHttpError(response, call, show);
  const isHead = callInfo.method === 'HEAD';
  const kind = responseType === 'auto' ? kindOf(response) : responseType;
  const isLimited = maxBytes !== undefined && !readText && kind !== 'stream';
  const limited = isLimited ? await readLimited(response, maxBytes, callInfo) : response;
  let body: unknown;
  if (isHead) {
    // Without a body, whatever its content type.
  } else if (kind === 'stream') {
    const limit = { maxBytes, error: () => tooLong(callInfo, status, maxBytes) };
    const translate = (error: unknown) => toFailure(error, call, show);
    body = response.body ? watchStream(response, translate, call.deadline, limit) : undefined;
  } else if (kind === 'json') {
    const text = await (readText?.(response, callInfo, confidential !== undefined) ?? limited.text());
    body = parseJson(text, call, status);
  } else {
    body = await readBody(limited, kind);
  }
  if (responseType === 'text') body ??= '';
  // Of the responses that reach this line only a 304 and the redirect of a logout are not `ok`.
  const isValidated = schema && !isHead && (status < 300 || !allows(call.options, status));
  if (isValidated) body = await validateBody(schema, body, callInfo, show);
  return new ReceivedResponse(response, body, call.url, url);
}

/** @throws ParseError, which quotes the body unless the call is confidential. */
function parseJson(text: string, { callInfo, confidential }: PreparedCall, status: number): unknown {
  try {
    return text.trim() ? JSON.parse(text) : undefined;
  } catch {
    throw new ParseError(callInfo, status, confidential ? '' : text);
  }
}

const mostRedirects = 20;

export const isRedirect = ({ status, type }: TransportResponse): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);

/** A request of a call. */
interface Hop {
  readonly url: string;
  /** The number of redirects followed before. */
  readonly hops: number;
}

/**
 * Returns the URL to request next: the target of a redirect of GET or HEAD inside the origin, the final URL of a
 * `fetch` that follows by itself, else the requested one. Cancels the body of a redirect so that its connection can be
 * reused.
 * @param show removes secrets from the texts of an error.
 * @throws RedirectError for a redirect that is not followed.
 */
export function destinationOf(
  response: TransportResponse,
  { url, hops }: Hop,
  callInfo: CallInfo,
  show: ShowText,
): string {
  const { status, type } = response;
  const { method } = callInfo;
  const moved = isRedirect(response);
  if (!moved && !response.redirected) return url;
  // Header values are read as Latin-1, whatever encoding a path has: its bytes are kept.
  const location = moved ? response.headers.get('location')?.replace(/[\x80-\xff]/g, escape) : response.url;
  const target = location != null && URL.canParse(location, url) ? new URL(location, url) : undefined;
  const where = target && target.origin + target.pathname;
  const refusal =
    (type === 'opaqueredirect' && 'browsers hide its target') ||
    (target === undefined && 'no valid location') ||
    (method !== 'GET' && method !== 'HEAD' && 'only GET and HEAD follow redirects') ||
    (target?.origin !== new URL(url).origin && 'it leaves the origin') ||
    (moved && !/30[12378]/.test(`${status}`) && 'its status is not followed') ||
    (hops === mostRedirects && `more than ${mostRedirects} redirects`);
  if (moved || refusal) quietly(() => response.body?.cancel());
  if (refusal) {
    // Filters the raw location, too: URL normalizes a host (`xn--…`).
    const destination = where && show(location?.replace(/[?#].*/s, '') ?? '') && show(where);
    throw new RedirectError(callInfo, status, destination || undefined, refusal);
  }
  // Drops user, password and fragment of the location.
  return `${where}${target?.search}`;
}
