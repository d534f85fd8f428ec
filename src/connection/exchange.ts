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
import { isHeaderValue } from './headers.js';
import type { CallEvent } from './options.js';
import { hasBody, type ResponseType, type RouteResponse, readBody, readHttpError } from './response.js';
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
  readonly confidential: boolean;
  /** Who authorizes it; undefined where nobody does or the caller set the header. */
  readonly credentials: Credentials | undefined;
}

/** What every call of a connection is sent with. */
export interface Surroundings {
  readonly transport: Transport;
  readonly observe: ((event: CallEvent) => void) | undefined;
  readonly credentialsContext: CredentialsContext;
}

interface Outcome {
  readonly answer?: RouteResponse;
  readonly failure?: ArangoServicesError;
  readonly response?: Response | undefined;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 20;

/** Sends a call: as often as its retries allow, once more after a 401 whose credentials renew, inside its deadline. */
export async function exchange(
  call: PreparedCall,
  around: Surroundings,
  deadline: Deadline | undefined,
): Promise<RouteResponse> {
  const { credentials, site } = call;
  let renewed = false;
  for (let attempt = 1, retried = 0; ; attempt++) {
    const authorization = credentials && (await authorize(credentials, around.credentialsContext, site, deadline));
    const started = around.observe === undefined ? 0 : performance.now();
    const outcome = await send(call, authorization, around.transport, deadline);
    if (around.observe !== undefined) report(around.observe, call, outcome, attempt, performance.now() - started);
    if (outcome.failure === undefined) return outcome.answer as RouteResponse;

    const { failure, response } = outcome;
    const replayable = call.body?.replayable ?? true;
    if (credentials && authorization !== undefined && response?.status === 401 && failure.code === 'HTTP' && !renewed) {
      renewed = true;
      // Asked even where the body cannot be sent again: the next call must not meet the same 401.
      const another = await renews(credentials, authorization, around.credentialsContext, deadline);
      const ended = deadline?.failure(site);
      if (ended !== undefined) throw ended;
      if (another && replayable) continue;
    }
    if (retried >= call.retries || !replayable) throw failure;
    const delay = retryDelayMs(failure, response?.headers.get('retry-after') ?? null, retried);
    if (delay === undefined || delay >= (deadline?.remainingMs ?? Number.POSITIVE_INFINITY)) throw failure;
    retried++;
    await pause(delay, site, deadline);
  }
}

/** What credentials answer, at once or later, but not after the deadline. */
const within = <T>(deadline: Deadline | undefined, value: T | Promise<T>): T | Promise<T> =>
  deadline === undefined || typeof value !== 'object' ? value : deadline.race(value as Promise<T>);

/** The header's value; every way to have none is a CredentialsError that names the call. */
async function authorize(
  credentials: Credentials,
  context: CredentialsContext,
  site: CallSite,
  deadline: Deadline | undefined,
): Promise<string | undefined> {
  let value: unknown;
  try {
    value = await within(deadline, credentials.authorize(context));
  } catch (error) {
    const ended = deadline?.failure(site);
    if (ended !== undefined) throw ended;
    if (error instanceof CredentialsError) throw error.method === undefined ? error.at(site) : error;
    // Anything else that was thrown may quote a secret.
    throw new CredentialsError('authorize() failed', site, isArangoServicesError(error) ? error : undefined);
  }
  if (value === undefined || isHeaderValue(value)) return value;
  throw new CredentialsError('authorize() gave no valid header value', site);
}

/** Whether the credentials may have another token. A renewal that fails leaves the 401 to stand. */
async function renews(
  credentials: Credentials,
  rejected: string,
  context: CredentialsContext,
  deadline: Deadline | undefined,
): Promise<boolean> {
  try {
    return (await within(deadline, credentials.reject?.(rejected, context) ?? false)) === true;
  } catch {
    return false;
  }
}

async function pause(delayMs: number, site: CallSite, deadline: Deadline | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, delayMs);
  });
  try {
    await (deadline === undefined ? waited : deadline.race(waited));
  } catch (error) {
    throw toFailure(error, site, deadline);
  } finally {
    clearTimeout(timer);
  }
}

/** One attempt, until its body is read. */
async function send(
  call: PreparedCall,
  authorization: string | undefined,
  transport: Transport,
  deadline: Deadline | undefined,
): Promise<Outcome> {
  const { site } = call;
  const guard = <T>(promise: Promise<T>): Promise<T> => (deadline === undefined ? promise : deadline.race(promise));
  const translate = (error: unknown) => toFailure(error, site, deadline);
  let response: Response | undefined;
  try {
    const arrived = await guard(follow(call, authorization, transport, deadline?.signal));
    response = arrived.response;
    if (response.status >= 400)
      return { failure: await guard(readHttpError(response, site, call.confidential)), response };
    let body: unknown;
    if (hasBody(site.method, response)) {
      body =
        call.responseType === 'stream'
          ? watchStream(response.body as ReadableStream<Uint8Array<ArrayBuffer>>, translate, guard, () =>
              deadline?.release(),
            )
          : await guard(readBody(response, call.responseType, site, call.confidential));
    }
    if (call.schema !== undefined && response.ok && site.method !== 'HEAD') {
      body = await guard(validateBody(call.schema, body, site));
    }
    return { answer: toAnswer(response, arrived.url, arrived.redirected, body), response };
  } catch (error) {
    return { failure: translate(error), response };
  }
}

const toAnswer = (response: Response, url: string, redirected: boolean, body: unknown): RouteResponse => ({
  body,
  status: response.status,
  statusText: response.statusText,
  ok: response.ok,
  headers: response.headers,
  url,
  redirected,
});

/** Sends a request and follows redirects of GET and HEAD inside the origin. */
async function follow(
  call: PreparedCall,
  authorization: string | undefined,
  transport: Transport,
  signal: AbortSignal | undefined,
): Promise<{ response: Response; url: string; redirected: boolean }> {
  const { site, body } = call;
  const init: Outgoing & { duplex?: 'half' } = { method: site.method, headers: call.headers, redirect: 'manual' };
  if (authorization !== undefined) init.headers = { ...call.headers, authorization };
  if (body !== undefined) init.body = body.data;
  if (body?.replayable === false) init.duplex = 'half';
  if (signal !== undefined) init.signal = signal;
  for (let hops = 0, url = call.url; ; hops++) {
    const response = await transport(url, init);
    const drop = () => void response.body?.cancel().catch(() => undefined);
    if (signal?.aborted) {
      // A `fetch` that does not listen to its signal: nobody will read this answer.
      drop();
      throw signal.reason;
    }
    if (response.type === 'error') throw new NetworkError(site, 'no answer from the server');
    if (response.type === 'opaqueredirect') {
      throw new RedirectError(site, 0, undefined, 'browsers do not show where, and following could leave the origin');
    }
    const follows = site.method === 'GET' || site.method === 'HEAD';
    const moved = response.status >= 300 && response.status < 400 && response.status !== 304;
    // A `fetch` that follows redirects by itself tells afterwards.
    const place = moved ? response.headers.get('location') : response.redirected ? response.url : url;
    if (place === url && !moved) return { response, url, redirected: hops > 0 };
    const target = place !== null && URL.canParse(place, url) ? new URL(place, url) : undefined;
    const where = target && target.origin + target.pathname;
    const refused =
      (target === undefined && 'its location is missing or not a URL') ||
      (moved && !redirectStatuses.has(response.status) && 'a status that is not followed') ||
      (!follows && 'only GET and HEAD follow redirects') ||
      (target?.origin !== new URL(url).origin && 'it leaves the origin') ||
      (hops === mostRedirects && `more than ${mostRedirects} redirects`);
    if (refused || moved) drop();
    if (refused) throw new RedirectError(site, response.status, where, refused);
    // User, password and fragment of a location stay behind.
    url = `${where}${target?.search}`;
    if (!moved) return { response, url, redirected: true };
  }
}

function report(
  observe: (event: CallEvent) => void,
  call: PreparedCall,
  outcome: Outcome,
  attempt: number,
  durationMs: number,
): void {
  const { failure, response } = outcome;
  const requestId = response?.headers.get('x-request-id') ?? undefined;
  // In a function of its own, so that an async observer cannot leave a rejection behind either.
  const tell = async () =>
    observe({
      method: call.site.method,
      path: call.site.path,
      ...(response !== undefined && { status: response.status }),
      ...(failure !== undefined && { code: failure.code }),
      durationMs,
      attempt,
      ...(requestId !== undefined && { requestId }),
    });
  // An observer must not change the call it observes.
  tell().catch(() => undefined);
}
