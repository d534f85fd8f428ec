import type { Credentials, CredentialsContext } from '../credentials/credentials.js';
import {
  type ArangoServicesError,
  type CallSite,
  CredentialsError,
  isArangoServicesError,
  NetworkError,
  RedirectError,
} from '../errors.js';
import type { EncodedBody } from './body.js';
import type { Deadline } from './deadline.js';
import { toFailure } from './failure.js';
import { isValidHeader } from './headers.js';
import type { CallEvent } from './options.js';
import { type ResponseType, type RouteResponse, readBody, readHttpError } from './response.js';
import { retryDelayMs } from './retry.js';
import { type StandardSchema, validateBody } from './schema.js';
import { watchStream } from './stream.js';
import type { Outgoing, Transport } from './transport.js';

/** A call whose every part is checked and encoded. */
export interface PreparedCall {
  readonly site: CallSite & { readonly method: string; readonly path: string };
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: EncodedBody | undefined;
  readonly retries: number;
  readonly schema: StandardSchema | undefined;
  readonly responseType: ResponseType;
  readonly confidential: readonly string[] | undefined;
  /** A redirect is the answer. */
  readonly redirects: boolean;
  /** The scheme `Bearer` goes in lower case. */
  readonly lowerScheme: boolean;
  /** Who authorizes it; undefined where nobody does or the caller set the header. */
  readonly credentials: Credentials | undefined;
}

/** What every call of a connection is sent with. */
export interface Surroundings {
  readonly transport: Transport;
  readonly settings: { readonly observe?: ((event: CallEvent) => void) | undefined };
  readonly context: CredentialsContext;
}

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];
const mostRedirects = 20;

/** Sends a call: as often as its retries allow, once more after a 401 whose credentials renew, inside its deadline. */
export async function exchange(call: PreparedCall, around: Surroundings, deadline?: Deadline): Promise<RouteResponse> {
  const { site, credentials } = call;
  const { settings, context } = around;
  const { observe } = settings;
  const replayable = call.body?.replayable ?? true;
  let renewed = false;
  let retried = 0;
  for (let attempt = 1; ; attempt++) {
    const started = performance.now();
    let authorization: string | undefined;
    let response: Response | undefined;
    let failure: ArangoServicesError | undefined;
    try {
      authorization = credentials && (await authorize(credentials, context, site));
      const [arrived, url] = await follow(call, authorization, around.transport, deadline);
      response = arrived;
      return await read(call, response, url, deadline);
    } catch (error) {
      failure = toFailure(error, site, deadline);
    } finally {
      if (observe !== undefined) report(observe, site, response, failure, attempt, performance.now() - started);
    }
    if (response?.status === 401 && authorization !== undefined && !renewed) {
      renewed = true;
      // Told even where the body cannot be sent again: the next call must not meet the same 401.
      const another = await renews(credentials, authorization, context);
      if (another && replayable && failure.code === 'HTTP') continue;
    }
    if (!replayable) throw failure;
    const delay = retried < call.retries ? retryDelayMs(failure, response, retried) : undefined;
    if (delay === undefined || delay >= (deadline?.remainingMs ?? Number.POSITIVE_INFINITY)) throw failure;
    retried++;
    await pause(delay, deadline?.signal);
  }
}

/** The header's value. Whatever goes wrong is a CredentialsError; only an error of this package can be its cause. */
async function authorize(
  credentials: Credentials,
  context: CredentialsContext,
  site: CallSite,
): Promise<string | undefined> {
  try {
    const value = await credentials.authorize(context);
    if (value === undefined || (typeof value === 'string' && isValidHeader('authorization', value))) return value;
  } catch (error) {
    if (!isArangoServicesError(error)) throw new CredentialsError('asking for a token failed', site);
    throw new CredentialsError(error.message, site, error instanceof CredentialsError ? error.cause : error);
  }
  throw new CredentialsError('authorize() gave no valid header value', site);
}

/** Whether the credentials may have another token. A renewal that fails leaves the 401 to stand. */
async function renews(
  credentials: Credentials | undefined,
  rejected: string,
  context: CredentialsContext,
): Promise<boolean> {
  try {
    return (await credentials?.reject?.(rejected, context)) ?? false;
  } catch {
    return false;
  }
}

/** Waits; not longer than the call has time, which the next attempt then finds over. */
const pause = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Sends a request and follows redirects of GET and HEAD inside the origin; gives the answer and the URL that gave it. */
async function follow(
  { site, body, headers, url: first, redirects, lowerScheme }: PreparedCall,
  authorization: string | undefined,
  transport: Transport,
  deadline: Deadline | undefined,
): Promise<[response: Response, url: string]> {
  const init: Outgoing & { duplex?: 'half' } = {
    method: site.method,
    headers,
    redirect: 'manual',
  };
  if (authorization !== undefined) {
    const value = lowerScheme ? authorization.replace(/^Bearer /, 'bearer ') : authorization;
    init.headers = { ...headers, authorization: value };
  }
  if (body !== undefined) init.body = body.data;
  let upload: AbortController | undefined;
  if (body?.data instanceof ReadableStream) {
    upload = new AbortController();
    init.duplex = 'half';
    // Node goes on reading the upload of a request that has failed, without an end where the stream has none.
    init.body = body.data.pipeThrough(new TransformStream(), { signal: upload.signal });
  }
  if (deadline !== undefined) init.signal = deadline.signal;
  for (let hops = 0, url = first; ; hops++) {
    if (deadline?.failure !== undefined) throw deadline.failure;
    const answer = transport(url, init);
    if (upload !== undefined) answer.catch(() => upload.abort());
    const response = await answer;
    const { status, type, redirected } = response;
    const drop = () => void response.body?.cancel().catch(() => undefined);
    if (deadline?.failure !== undefined) {
      // A `fetch` that does not listen to its signal: nobody will read this answer.
      drop();
      throw deadline.failure;
    }
    if (type === 'error') throw new NetworkError(site, 'no answer from the server');
    const moved = type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
    if (redirects || (!moved && !redirected)) return [response, url];
    // A `fetch` that follows by itself tells afterwards.
    const location = moved ? response.headers.get('location') : response.url;
    const target = location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined;
    const where = target && target.origin + target.pathname;
    const refusal =
      (type === 'opaqueredirect' && 'browsers do not show where to') ||
      (target === undefined && 'its location is missing or not a URL') ||
      (site.method !== 'GET' && site.method !== 'HEAD' && 'only GET and HEAD follow redirects') ||
      (target?.origin !== new URL(url).origin && 'it leaves the origin') ||
      (moved && !redirectStatuses.includes(status) && 'its status does not ask to follow') ||
      (hops === mostRedirects && `more than ${mostRedirects} redirects`);
    if (moved || refusal) drop();
    if (refusal) throw new RedirectError(site, status, where, refusal);
    // User, password and fragment of a location stay behind.
    url = `${where}${target?.search}`;
    if (!moved) return [response, url];
  }
}

/** The answer as the caller gets it, or the error that it stands for. */
async function read(call: PreparedCall, response: Response, url: string, deadline?: Deadline): Promise<RouteResponse> {
  const { site, responseType, schema, confidential } = call;
  const { status, statusText, ok, headers } = response;
  if (status >= 400) throw await readHttpError(response, site, confidential);
  let body: unknown;
  if (response.body !== null && site.method !== 'HEAD') {
    body =
      responseType === 'stream'
        ? watchStream(response.body, (error) => toFailure(error, site, deadline), deadline)
        : await readBody(response, responseType, site, confidential);
  }
  if (schema !== undefined && ok && site.method !== 'HEAD') body = await validateBody(schema, body, site);
  return { body, status, statusText, ok, headers, url, redirected: url !== call.url };
}

function report(
  observe: (event: CallEvent) => unknown,
  { method, path }: PreparedCall['site'],
  response: Response | undefined,
  failure: ArangoServicesError | undefined,
  attempt: number,
  durationMs: number,
): void {
  const { status } = response ?? {};
  const requestId = response?.headers.get('x-request-id') ?? undefined;
  const tell = async () => observe({ method, path, status, code: failure?.code, durationMs, attempt, requestId });
  // An observer must not change the call it observes, nor leave a rejection behind.
  tell().catch(() => undefined);
}
