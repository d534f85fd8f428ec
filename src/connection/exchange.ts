import type { Credentials, CredentialsContext } from '../credentials/credentials.js';
import { type ArangoServicesError, type CallSite, RedirectError } from '../errors.js';
import type { EncodedBody } from './body.js';
import type { Deadline } from './deadline.js';
import { toFailure } from './failure.js';
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
  readonly confidential: readonly string[] | undefined;
  /** A redirect is the answer. */
  readonly redirected: boolean;
  /** The scheme `Bearer` is written in lower case. */
  readonly lowerScheme: boolean;
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
  const within = <T>(value: T | Promise<T>): T | Promise<T> =>
    deadline !== undefined && value instanceof Promise ? deadline.race(value) : value;
  let renewed = false;
  for (let attempt = 1, retried = 0; ; attempt++) {
    let authorization: string | undefined;
    try {
      authorization = credentials && (await within(credentials.authorize(around.credentialsContext)));
    } catch (error) {
      throw toFailure(error, site, deadline);
    }
    const started = around.observe === undefined ? 0 : performance.now();
    const outcome = await send(call, authorization, around.transport, deadline);
    if (around.observe !== undefined) report(around.observe, call, outcome, attempt, performance.now() - started);
    if (outcome.failure === undefined) return outcome.answer as RouteResponse;

    const { failure, response } = outcome;
    const replayable = call.body?.replayable ?? true;
    if (response?.status === 401 && failure.code === 'HTTP' && authorization !== undefined && !renewed && replayable) {
      renewed = true;
      if (await renews(credentials, authorization, around.credentialsContext, within)) continue;
    }
    if (retried >= call.retries || !replayable) throw failure;
    const delay = retryDelayMs(failure, response?.headers.get('retry-after') ?? null, retried);
    if (delay === undefined || delay >= (deadline?.remainingMs ?? Number.POSITIVE_INFINITY)) throw failure;
    retried++;
    await pause(delay, site, deadline);
  }
}

/** Whether the credentials may have another token. A renewal that fails leaves the 401 to stand. */
async function renews(
  credentials: Credentials | undefined,
  rejected: string,
  context: CredentialsContext,
  within: <T>(value: T | Promise<T>) => T | Promise<T>,
): Promise<boolean> {
  try {
    return (await within(credentials?.reject?.(rejected, context) ?? false)) === true;
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
  if (authorization !== undefined) {
    const value = call.lowerScheme ? authorization.replace(/^Bearer /, 'bearer ') : authorization;
    init.headers = { ...call.headers, authorization: value };
  }
  if (body !== undefined) init.body = body.data;
  if (body?.replayable === false) init.duplex = 'half';
  if (signal !== undefined) init.signal = signal;
  for (let hops = 0, url = call.url; ; hops++) {
    const response = await transport(url, init);
    if (call.redirected) return { response, url, redirected: false };
    if (response.type === 'opaqueredirect') {
      throw new RedirectError(
        site,
        0,
        undefined,
        'browsers hide redirects from code that must not follow them everywhere',
      );
    }
    const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return { response, url, redirected: hops > 0 };
    void response.body?.cancel().catch(() => undefined);
    const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
    const refuse = (why: string) =>
      new RedirectError(site, response.status, target && `${target.origin}${target.pathname}`, why);
    if (target === undefined) throw refuse('the location is not a URL');
    if (site.method !== 'GET' && site.method !== 'HEAD') throw refuse('only GET and HEAD follow redirects');
    if (target.origin !== new URL(url).origin) throw refuse('it leaves the origin');
    if (hops === mostRedirects) throw refuse(`more than ${mostRedirects} redirects`);
    target.hash = '';
    url = target.href;
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
  try {
    observe({
      method: call.site.method,
      path: call.site.path,
      ...(response !== undefined && { status: response.status }),
      ...(failure !== undefined && { code: failure.code }),
      durationMs,
      attempt,
      ...(requestId !== undefined && { requestId }),
    });
  } catch {
    // An observer must not change the call it observes.
  }
}
