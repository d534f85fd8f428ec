import { type CallInfo, NetworkError } from '../errors.js';
import { quietly } from '../lib/quietly.js';
import type { ShowText } from '../secrets/filter.js';
import { toFailure } from './call-failure.js';
import type { Deadline } from './deadline.js';
import type { PreparedCall } from './prepared-call.js';
import { kindOf, parseJson, type RouteResponse, readBody, readHttpError } from './response.js';
import { validateBody } from './schema.js';
import { watchStream } from './stream.js';
import type { TransportResponse } from './transport.js';

/** The caller's response. `headers` is built lazily. */
export class ReceivedResponse implements RouteResponse {
  readonly body: unknown;
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly url: string;
  readonly redirected: boolean;
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
 * @throws NetworkError if it is not a valid response; the reason of the signal if it was aborted.
 */
export function checkAnswer(
  response: TransportResponse | undefined,
  callInfo: CallInfo,
  signal: AbortSignal | undefined,
): TransportResponse {
  if (signal?.aborted) {
    // For a `fetch` that ignores its signal: the body will never be read.
    quietly(() => response?.body?.cancel());
    throw signal.reason;
  }
  if (typeof response?.status !== 'number') {
    throw new NetworkError(callInfo, 'fetch or transport returned no response');
  }
  if (response.type === 'error') throw new NetworkError(callInfo);
  return response;
}

/** Converts the server's response to the caller's, or throws the error that it represents. */
export async function readAnswer(
  {
    callInfo,
    url: asked,
    confidential,
    needs,
    readText,
    options: { schema, responseType = 'auto', allowStatus } = {},
  }: PreparedCall,
  response: TransportResponse,
  url: string,
  deadline: Deadline | undefined,
  show: ShowText,
): Promise<ReceivedResponse> {
  const { status } = response;
  const isConfidential = confidential !== undefined;
  if (status >= 400) throw await readHttpError(response, callInfo, isConfidential, show, needs);
  const full = callInfo.method !== 'HEAD';
  let body: unknown;
  if (full && responseType !== 'stream') {
    const kind = responseType === 'auto' ? kindOf(response) : responseType;
    body =
      kind === 'json'
        ? parseJson(
            await (readText?.(response, callInfo, isConfidential) ?? response.text()),
            callInfo,
            status,
            isConfidential,
          )
        : await readBody(response, kind);
  } else if (full && response.body) {
    body = watchStream(response, (error) => toFailure(error, callInfo, deadline?.signal, show), deadline);
  }
  if (responseType === 'text') body ??= '';
  // Of the responses that reach this line only a 304 and a redirect are not `ok`.
  const validated = schema && full && (status < 300 || status === 304) && !allowStatus?.includes(status);
  if (validated) body = await validateBody(schema, body, callInfo, show);
  return new ReceivedResponse(response, body, asked, url);
}
