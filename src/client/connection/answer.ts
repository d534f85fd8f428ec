import { type CallInfo, NetworkError, ParseError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import type { ShowText } from '../../base/secrets/filter.js';
import { toFailure } from './call-failure.js';
import type { Deadline } from './deadline.js';
import { readLimited, tooLong } from './limit-body.js';
import type { PreparedCall } from './prepared-call.js';
import { kindOf, type RouteResponse, readBody, readHttpError } from './response.js';
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

  constructor({ status, statusText, headers }: TransportResponse, body: unknown, asked: string, url: string) {
    this.body = body;
    this.status = status;
    this.statusText = statusText;
    this.ok = status >= 200 && status < 300;
    this.url = url;
    this.redirected = url !== asked;
    this.#given = headers;
  }

  get headers(): Headers {
    const given = this.#given;
    this.#headers ??= given instanceof Headers ? given : new Headers([...given] as [string, string][]);
    return this.#headers;
  }
}

/**
 * Checks a transport's response, which may come from a caller's JavaScript.
 * @throws NetworkError if it is not a valid response; the error of the deadline if it has passed.
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
  if (typeof response?.status !== 'number') {
    throw new NetworkError(callInfo, 'fetch or transport returned no response');
  }
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
  const { schema, responseType = 'auto', allowStatus, maxBytes } = call.options ?? {};
  const { status } = response;
  if (status >= 400) throw await readHttpError(response, call, show);
  const isHead = callInfo.method === 'HEAD';
  const kind = responseType === 'auto' ? kindOf(response) : responseType;
  const isLimited = maxBytes !== undefined && !readText && kind !== 'stream';
  const limited = isLimited ? await readLimited(response, maxBytes, callInfo) : response;
  let body: unknown;
  if (isHead) {
    // Without a body, whatever its content type.
  } else if (kind === 'stream') {
    const limit = maxBytes === undefined ? undefined : { maxBytes, error: () => tooLong(callInfo, status, maxBytes) };
    const translate = (error: unknown) => toFailure(error, call, show);
    body = response.body ? watchStream(response, translate, call.deadline, limit) : undefined;
  } else if (kind === 'json') {
    const text = await (readText?.(response, callInfo, confidential !== undefined) ?? limited.text());
    body = parseJson(text, call, status);
  } else {
    body = await readBody(limited, kind);
  }
  if (responseType === 'text') body ??= '';
  // Of the responses that reach this line only a 304 and a redirect are not `ok`.
  const isValidated = schema && !isHead && (status < 300 || status === 304) && !allowStatus?.includes(status);
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
