import { type ArangoServicesError, type HttpError, isHttpError, UploadError } from '../errors.js';
import { quietly } from '../lib/quietly.js';
import { type ShowText, secretFilter } from '../secrets/filter.js';
import { secretsOf } from '../secrets/headers.js';
import { sentValues } from '../secrets/sent.js';
import { checkAnswer, ReceivedResponse, readAnswer } from './answer.js';
import { toFailure } from './call-failure.js';
import type { CredentialsCall } from './credentials-contract.js';
import type { Deadline } from './deadline.js';
import type { Deployment } from './deployment.js';
import { withBytes } from './fetch-transport.js';
import { headersOf } from './headers.js';
import { pause, retryDelayMs } from './pause.js';
import { authorize, type PreparedCall, requestHeaders, toRequest } from './prepared-call.js';
import { destinationOf, isRedirect } from './redirect.js';
import { watchStream } from './stream.js';
import type { TransportBody, TransportRequest, TransportResponse } from './transport.js';
import { type Upload, watchUpload } from './upload.js';

/** A failed attempt. */
interface FailedAttempt {
  readonly failure: ArangoServicesError;
  /** The server's response, if there was one, and its URL. */
  readonly response: TransportResponse | undefined;
  readonly url: string;
  /** The credentials' header, if the server rejected it. */
  readonly refused: string | undefined;
}

/** Sends a call within its deadline: with its retries, and once more after a 401 if the credentials were renewed. */
export async function exchange(
  call: PreparedCall,
  deployment: Deployment,
  deadline?: Deadline,
): Promise<ReceivedResponse> {
  const isOnce = call.body instanceof ReadableStream;
  const forToken = { waitUntil: call.waitUntil, retries: call.tokenRetries, deadline };
  let isRenewed = false;
  let retried = 0;
  for (let number = 1; ; number++) {
    const outcome = await attempt(call, deployment, deadline, forToken, number);
    if (outcome instanceof ReceivedResponse) return outcome;
    const { failure, response, url, refused } = outcome;
    if (refused !== undefined && !isRenewed) {
      isRenewed = true;
      // Reported even if the body cannot be resent, so that the next call does not get the same 401. A failed renewal
      // keeps the 401.
      const isOther = await quietly(() =>
        call.credentials?.reject?.(refused, deployment.context, isOnce ? undefined : forToken),
      );
      if (isOther && !isOnce && failure.code === 'HTTP') continue;
    }
    if (!isOnce && retried < call.retries && (await pause(retryDelayMs(failure, retried++), deadline))) continue;
    if (response && isHttpError(failure) && call.options?.allowStatus?.includes(failure.status)) {
      return new ReceivedResponse(response, failure.body, call.url, url);
    }
    throw failure;
  }
}

const showNothing: ShowText = () => '';

/** Hides sent values in the server's texts. The filter is built lazily: most calls need none. */
function filterOf(
  { url, confidential }: PreparedCall,
  headers: TransportRequest['headers'],
  body?: PreparedCall['body'],
): ShowText {
  let filter: ShowText | undefined;
  return (text) => {
    if (text === '') return text;
    filter ??= secretFilter(
      [...secretsOf(headers), ...(confidential ?? [])],
      confidential !== undefined,
      sentValues(url, body),
    );
    return filter(text);
  };
}

/** Authorizes and sends one request, follows its redirects, reads the response, and notifies the observer. */
async function attempt(
  call: PreparedCall,
  { transport, observe, context }: Deployment,
  deadline: Deadline | undefined,
  forToken: CredentialsCall,
  number: number,
): Promise<ReceivedResponse | FailedAttempt> {
  const { callInfo, credentials, body } = call;
  const signal = deadline?.signal;
  const startedAt = performance.now();
  let authorizedAt = startedAt;
  let authorization: string | undefined;
  let upload: Upload | undefined;
  let response: TransportResponse | undefined;
  let { url } = call;
  let failure: ArangoServicesError | undefined;
  let show = showNothing;
  const isStream = body instanceof ReadableStream;
  const isStreamed = isStream || typeof body === 'function';
  try {
    if (isStream) upload = watchUpload(body, deadline);
    const given = headersOf(call.headers, callInfo, number, isStreamed && transport.sendsContentLength);
    // A caller's own header overrides the credentials, and null sends none.
    const isAuthorized = credentials !== undefined && !given.has('authorization');
    if (isAuthorized) {
      authorization = await authorize(credentials, context, call, forToken);
      authorizedAt = performance.now();
    }
    const headers = requestHeaders(call, given, authorization);
    show = filterOf(call, headers, body);
    // Credentials without a header belong to a deployment without authentication, which accepts an empty token.
    const own = headers.authorization ?? (isAuthorized ? 'Bearer ' : '');
    if (typeof body === 'function') upload = watchUpload(body(), deadline);
    const content =
      upload?.body ??
      (call.addSelf
        ? await call.addSelf(body, own, callInfo, credentials?.identify?.bind(credentials, context))
        : (body as TransportBody));
    const request = toRequest(call, headers, content, deadline);
    // Until the response is not a redirect, or a permitted one.
    for (let hops = 0; response === undefined; hops++) {
      signal?.throwIfAborted();
      deadline?.touch?.(true, false);
      const received = checkAnswer(await transport.send(url, request), callInfo, signal);
      if (!call.redirects) url = destinationOf(received, url, callInfo, hops, show);
      if (call.redirects || !isRedirect(received)) response = received;
    }
    if (deadline?.touch) {
      const watched = response.body && watchStream(response, (error) => error, { ...deadline, release() {} });
      const { status, statusText, headers } = response;
      // The cast: headers of another transport are iterable, which `Response` takes as well.
      const copy = new Response(watched, { headers } as ResponseInit);
      // The constructor rejects statuses and texts that servers send all the same.
      const fields = { status: { value: status }, statusText: { value: statusText } };
      response = withBytes(Object.defineProperties(copy, fields));
    }
    const answer = await readAnswer(call, response, url, deadline, show);
    // An early response: it is complete, so the rest of the upload is dropped.
    if (!(answer.body instanceof ReadableStream)) upload?.end();
    // The body of a success is not searched: it may be large, and this runs for every call.
    if (observe !== undefined) show = filterOf(call, headers);
    return answer;
  } catch (error) {
    failure =
      upload?.failures.length && !signal?.aborted && response === undefined
        ? new UploadError(callInfo, upload.failures[0])
        : toFailure(error, callInfo, signal, show, isStreamed);
    upload?.end();
    const { grpcCode } = failure as Partial<HttpError>;
    const tokenRefused = call.addSelf !== undefined && response?.status === 400 && grpcCode === 9;
    Object.assign(failure, tokenRefused && { tokenRefused });
    return {
      failure,
      response,
      url,
      refused: tokenRefused || response?.status === 401 ? (authorization ?? credentials?.cookies) : undefined,
    };
  } finally {
    deadline?.touch?.(false);
    if (observe !== undefined) {
      const event = {
        ...callInfo,
        status: response?.status,
        code: failure?.code,
        durationMs: performance.now() - authorizedAt,
        credentialsMs: authorizedAt - startedAt,
        attempt: number,
        requestId: show(response?.headers.get('x-request-id') ?? '') || undefined,
      };
      // An observer must neither change the call nor leave an unhandled rejection.
      quietly(() => observe(event));
    }
  }
}
