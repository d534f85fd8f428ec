import {
  type ArangoServicesError,
  CredentialsError,
  InvalidArgumentError,
  isArangoServicesError,
  isHttpError,
  UploadError,
} from '../errors.js';
import { withToken } from './body.js';
import { type Call, type NamedCall, prepareCall } from './call.js';
import type { Credentials, CredentialsContext, WaitUntil } from './credentials.js';
import type { Deadline } from './deadline.js';
import { quietly, toFailure } from './failure.js';
import { type HeaderLayer, headersOf, isValidHeader } from './headers.js';
import type { CallEvent } from './options.js';
import { follow } from './redirect.js';
import { Answer, type RouteResponse, readBody, readHttpError } from './response.js';
import { retryDelayMs } from './retry.js';
import { validateBody } from './schema.js';
import { type ShowText, secretFilter, secretsOf } from './secret-filter.js';
import { watchStream } from './stream.js';
import type { Transport, TransportBody, TransportRequest, TransportResponse } from './transport.js';
import { watchUpload } from './upload.js';

/** A call whose every part is checked and encoded. */
export interface PreparedCall
  extends Pick<Call, 'options' | 'confidential' | 'redirects' | 'base' | 'needs' | 'sendsOwnToken'> {
  readonly site: NamedCall;
  readonly url: string;
  readonly headers: HeaderLayer;
  /** What counts where the caller's headers say nothing: the type of the body. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  readonly body: TransportBody | undefined;
  readonly retries: number;
  /** Who authorizes it, unless the caller's headers do. */
  readonly credentials: Credentials | undefined;
  readonly waitUntil: WaitUntil | undefined;
}

/** What every call of a connection is sent with. */
export interface Surroundings {
  readonly transport: Transport;
  readonly observe?: ((event: CallEvent) => void) | undefined;
  readonly context: CredentialsContext;
}

/** Sends a call: as often as its retries allow, once more after a 401 whose credentials renew, inside its deadline. */
export async function exchange(
  call: PreparedCall,
  { transport, observe, context }: Surroundings,
  deadline?: Deadline,
): Promise<RouteResponse> {
  const { site, credentials } = call;
  const name = () => site;
  const confidential = call.confidential !== undefined;
  const upload = call.body instanceof ReadableStream ? watchUpload(call.body) : undefined;
  const body = upload?.body ?? call.body;
  let renewed = false;
  let retried = 0;
  for (let attempt = 1; ; attempt++) {
    const started = performance.now();
    let authorizedAt = started;
    let headers = call.ownHeaders;
    let authorization: string | undefined;
    let response: TransportResponse | undefined;
    let answeredBy = call.url;
    let failure: ArangoServicesError | undefined;
    // Made where something failed: what the server says of it may quote what it was sent.
    let filter: ShowText | undefined;
    const show: ShowText = (text) => {
      filter ??= secretFilter([...secretsOf(headers), ...(call.confidential ?? [])], confidential);
      return filter(text);
    };
    try {
      const given = prepareCall(name, () => {
        const given = headersOf(call.headers, { ...site, attempt });
        checkLength(given.get('content-length'), transport.sendsContentLength === true && upload !== undefined);
        return given;
      });
      // A caller's own header wins, and null sends the call without credentials.
      const isAuthorized = credentials !== undefined && !given.has('authorization');
      if (isAuthorized) {
        authorization = await authorize(credentials, context, call);
        authorizedAt = performance.now();
      }
      headers = requestHeaders(call, given, authorization);
      // Credentials that give no header belong to a deployment that asks for no tokens, and takes an empty one.
      const own = headers.authorization ?? (isAuthorized ? 'Bearer ' : '');
      const content = call.sendsOwnToken ? withToken(body, own, site) : body;
      const request = toRequest(call, headers, content, deadline?.signal);
      [response, answeredBy] = await follow(call, request, transport, show);
      const answer = await read(call, response, answeredBy, deadline, show);
      // Refused early: the answer is complete, and what is still to be sent is of no use.
      if (!(answer.body instanceof ReadableStream)) upload?.end();
      return answer;
    } catch (error) {
      failure =
        upload?.failures.length === 1 && !deadline?.signal.aborted && response === undefined
          ? new UploadError(site, upload.failures[0])
          : toFailure(error, { site, signal: deadline?.signal, show, streamed: upload !== undefined });
      upload?.end();
    } finally {
      if (observe !== undefined) {
        const event: CallEvent = {
          ...site,
          status: response?.status,
          code: failure?.code,
          durationMs: performance.now() - authorizedAt,
          credentialsMs: authorizedAt - started,
          attempt,
          requestId: show(response?.headers.get('x-request-id') ?? '') || undefined,
        };
        // An observer must not change the call it observes, nor leave a rejection behind.
        quietly(() => observe(event));
      }
    }
    const isTokenRefused =
      response?.status === 401 ||
      (call.sendsOwnToken && response?.status === 400 && isHttpError(failure) && failure.grpcCode === 9);
    if (isTokenRefused && authorization !== undefined && !renewed) {
      renewed = true;
      const rejected = authorization;
      // Told even where the body cannot be sent again: the next call must not meet the same 401. A renewal that fails
      // leaves it to stand.
      const another = await quietly(() => credentials?.reject?.(rejected, context));
      if (another && !upload && failure.code === 'HTTP') continue;
    }
    const delay = !upload && retried < call.retries ? retryDelayMs(failure, retried) : undefined;
    if (delay === undefined || (deadline && performance.now() + delay >= deadline.endsAt)) {
      if (isHttpError(failure) && response !== undefined && call.options?.allowStatus?.includes(failure.status)) {
        return new Answer(response, failure.body, call.url, answeredBy);
      }
      throw failure;
    }
    retried++;
    await wait(delay, deadline?.signal);
  }
}

/**
 * Waits for so many milliseconds; for ever where the signal is aborted meanwhile: nobody waits for the call any more.
 */
const wait = (delay: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => clearTimeout(timer);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delay);
    signal?.addEventListener('abort', stop);
  });

/** The header's value. Whatever goes wrong is a CredentialsError; only an error of this package can be its cause. */
async function authorize(
  credentials: Credentials,
  context: CredentialsContext,
  { site, waitUntil }: PreparedCall,
): Promise<string | undefined> {
  try {
    const value = await credentials.authorize(context, { waitUntil });
    if (value === undefined || (typeof value === 'string' && isValidHeader('authorization', value))) return value;
  } catch (error) {
    if (!isArangoServicesError(error)) throw new CredentialsError('asking for a token failed', site);
    throw new CredentialsError(error.message, site, error instanceof CredentialsError ? error.cause : error);
  }
  throw new CredentialsError('authorize() gave no valid header value', site);
}

/** Refuses a length that is none, or that nobody would send. @throws InvalidArgumentError */
function checkLength(length: string | null | undefined, isSent: boolean): void {
  if (length != null && !(isSent && /^\d{1,15}$/.test(length))) {
    throw new InvalidArgumentError('headers.content-length', 'only a number, for a stream over nodeTransport');
  }
}

/** The headers of one attempt. */
function requestHeaders(
  { ownHeaders, base }: PreparedCall,
  given: Iterable<readonly [name: string, value: string | null]>,
  authorization: string | undefined,
): Readonly<Record<string, string>> {
  const headers = { ...ownHeaders };
  for (const [name, value] of given) if (value !== null) headers[name] = value;
  if (authorization !== undefined) {
    // The integration services know the scheme in lower case only (identity); services of others may know `Bearer`
    // only.
    headers.authorization = base === 'integration' ? authorization.replace(/^Bearer /, 'bearer ') : authorization;
  }
  return headers;
}

function toRequest(
  { site: { method } }: PreparedCall,
  headers: TransportRequest['headers'],
  body: TransportBody | undefined,
  signal: AbortSignal | undefined,
): TransportRequest {
  return {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
    ...(signal && { signal }),
  };
}

/** The answer as the caller gets it, or the error that it stands for. */
async function read(
  { site, url: asked, confidential, needs, options: { schema, responseType = 'auto', allowStatus } = {} }: PreparedCall,
  response: TransportResponse,
  url: string,
  deadline: Deadline | undefined,
  show: ShowText,
): Promise<RouteResponse> {
  const { status } = response;
  const isConfidential = confidential !== undefined;
  if (status >= 400) throw await readHttpError(response, site, isConfidential, show, needs);
  const full = site.method !== 'HEAD';
  let body: unknown;
  if (full && responseType !== 'stream') body = await readBody(response, responseType, site, isConfidential);
  else if (full && response.body) {
    body = watchStream(response, (error) => toFailure(error, { site, signal: deadline?.signal, show }), deadline);
  }
  // Of the answers that come here only a 304 and a redirect are not ok.
  const validated = schema && full && (status < 300 || status === 304) && !allowStatus?.includes(status);
  if (validated) body = await validateBody(schema, body, site, show);
  return new Answer(response, body, asked, url);
}
