import { type ArangoServicesError, isHttpError, UploadError } from '../errors.js';
import { quietly } from '../lib/quietly.js';
import { type ShowText, secretFilter } from '../secrets/filter.js';
import { secretsOf } from '../secrets/headers.js';
import { sentValues } from '../secrets/sent.js';
import { checkAnswer, ReceivedResponse, readAnswer } from './answer.js';
import { withToken } from './body.js';
import type { Deadline } from './deadline.js';
import type { Deployment } from './deployment.js';
import { toFailure } from './failure.js';
import { headersOf } from './headers.js';
import type { CallEvent } from './options.js';
import { pause, retryDelayMs } from './pause.js';
import { destinationOf, isRedirect } from './redirect.js';
import { authorize, checkLength, type PreparedCall, requestHeaders, toRequest } from './request.js';
import type { RouteResponse } from './response.js';
import type { TransportBody, TransportResponse } from './transport.js';
import { watchUpload } from './upload.js';

/** Sends a call: as often as its retries allow, once more after a 401 whose credentials renew, inside its deadline. */
export async function exchange(
  call: PreparedCall,
  { transport, observe, context }: Deployment,
  deadline?: Deadline,
): Promise<RouteResponse> {
  const { callInfo, credentials, confidential } = call;
  const signal = deadline?.signal;
  const { body } = call;
  const isRepeatable = typeof body === 'function';
  const isOnce = body instanceof ReadableStream;
  const streamed = isRepeatable || isOnce;
  let upload = isOnce ? watchUpload(body) : undefined;
  if (streamed) signal?.addEventListener('abort', () => upload?.end());
  let renewed = false;
  let retried = 0;
  const forToken = { waitUntil: call.waitUntil, retries: call.tokenRetries, deadline };
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
    const filterOf = (values: string[] | null) =>
      secretFilter([...secretsOf(headers), ...(confidential ?? [])], confidential !== undefined, values);
    const show: ShowText = (text) => {
      if (text !== '') filter ??= filterOf(sentValues(call.url, call.body));
      return filter?.(text) ?? '';
    };
    try {
      const given = headersOf(call.headers, callInfo, attempt);
      checkLength(given.get('content-length'), streamed && transport.sendsContentLength);
      // A caller's own header wins, and null sends the call without credentials.
      const isAuthorized = credentials !== undefined && !given.has('authorization');
      if (isAuthorized) {
        authorization = await authorize(credentials, context, call, forToken);
        authorizedAt = performance.now();
      }
      headers = requestHeaders(call, given, authorization);
      // Credentials that give no header belong to a deployment that asks for no tokens, and takes an empty one.
      const own = headers.authorization ?? (isAuthorized ? 'Bearer ' : '');
      if (isRepeatable) upload = watchUpload(body());
      const content = upload?.body ?? (call.sendsOwnToken ? withToken(body, own, callInfo) : (body as TransportBody));
      const request = toRequest(call, headers, content, signal);
      // Until an answer is no redirect, or may be one.
      for (let hops = 0; response === undefined; hops++) {
        signal?.throwIfAborted();
        const received = checkAnswer(await transport.send(answeredBy, request), callInfo, signal);
        if (!call.redirects) answeredBy = destinationOf(received, answeredBy, callInfo, hops, show);
        if (call.redirects || !isRedirect(received)) response = received;
      }
      const answer = await readAnswer(call, response, answeredBy, deadline, show);
      // Refused early: the answer is complete, and what is still to be sent is of no use.
      if (!(answer.body instanceof ReadableStream)) upload?.end();
      return answer;
    } catch (error) {
      failure =
        upload?.failures.length && !signal?.aborted && response === undefined
          ? new UploadError(callInfo, upload.failures[0])
          : toFailure(error, { callInfo, signal, show, streamed });
      upload?.end();
    } finally {
      if (observe !== undefined) {
        const requestId = response?.headers.get('x-request-id') || undefined;
        const event: CallEvent = {
          ...callInfo,
          status: response?.status,
          code: failure?.code,
          durationMs: performance.now() - authorizedAt,
          credentialsMs: authorizedAt - started,
          attempt,
          // After a success the body is not searched: it may be large, and this is every call.
          requestId: requestId && ((failure ? show : filterOf(sentValues(call.url)))(requestId) || undefined),
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
      const another = await quietly(() => credentials?.reject?.(rejected, context, isOnce ? undefined : forToken));
      if (another && !isOnce && failure.code === 'HTTP') continue;
    }
    if (!isOnce && retried < call.retries && (await pause(retryDelayMs(failure, retried++), deadline))) continue;
    if (isHttpError(failure) && response !== undefined && call.options?.allowStatus?.includes(failure.status)) {
      return new ReceivedResponse(response, failure.body, call.url, answeredBy);
    }
    throw failure;
  }
}
