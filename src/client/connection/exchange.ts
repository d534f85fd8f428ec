import { runtime } from '#runtime';
import type { ArangoServicesError } from '../../base/arango-services-error.js';
import { isHttpError } from '../../base/error-guards.js';
import { type HttpError, InvalidArgumentError, UploadError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import type { ShowText } from '../../base/secrets/filter.js';
import { checkAnswer, destinationOf, isRedirect, ReceivedResponse, readAnswer } from './answer.js';
import { allows } from './call.js';
import { toFailure } from './failure.js';
import { type FixedHeaders, headersOf } from './headers.js';
import { authorize, filterOf, type PreparedCall, requestHeaders } from './prepared-call.js';
import { pause, retryDelayMs } from './retries.js';
import { type Upload, watchIdle, watchUpload } from './stream.js';
import type { TransportBody, TransportRequest, TransportResponse } from './transport.js';

/** One attempt to send a call. Its fields hold what is known so far, for its failure and its report. */
class Attempt {
  /** The URL of the last request. */
  declare url: string;
  /** The server's response, if there was one. */
  declare response: TransportResponse | undefined;
  /** The credentials' header, if the server rejected it. */
  declare refused: string | undefined;
  /** The call, at the address that answered. */
  #call: PreparedCall;
  readonly #number: number;
  readonly #startedAt: number;
  #authorizedAt: number;
  /** The credentials' header. */
  #authorization: string | undefined;
  #upload: Upload | undefined;
  #failure: ArangoServicesError | undefined;
  /** Hides sent values in the server's texts. */
  #show: ShowText = () => '';

  constructor(call: PreparedCall, number: number) {
    this.url = call.url;
    this.#call = call;
    this.#number = number;
    this.#startedAt = this.#authorizedAt = performance.now();
  }

  /** The URL that the call asked for, at the address that answered. */
  get asked(): string {
    return this.#call.url;
  }

  /** Authorizes and sends one request, follows its redirects and reads the response. Returns the error of a failure. */
  async run(): Promise<ReceivedResponse | ArangoServicesError> {
    const call = this.#call;
    try {
      const { callInfo, options, credentials, transport, deadline, body, service } = call;
      const callerHeaders = this.#open();
      // A caller's own header overrides the credentials, and null sends none.
      const isAuthorized = credentials && !callerHeaders.has('authorization');
      if (isAuthorized) {
        this.#authorization = await authorize(credentials, call);
        this.#authorizedAt = performance.now();
      }
      const headers = requestHeaders(call, callerHeaders, this.#authorization);
      this.#show = filterOf(call, headers, body);
      const token = headers.authorization ?? (isAuthorized ? 'Bearer ' : '');
      const identify = credentials?.identify?.bind(credentials, call.deployment.context);
      const added = service?.addSelf && (await service.addSelf(body, token, callInfo, identify));
      const request = this.#build(headers, added ?? this.#upload?.body ?? body);
      let received: TransportResponse;
      for (let hops = 0; ; hops++) {
        if (deadline.failure) throw deadline.failure;
        deadline.idle?.awaitServer();
        const sent = transport.send(this.url, request, request.signal ? undefined : deadline);
        received = checkAnswer(await sent, callInfo, deadline);
        // A redirect is the response of a logout (status 0) and, with `all`, if it has a status and was not followed.
        if (allows(options, 0) && (options?.allowStatus !== 'all' || (received.status && !received.redirected))) break;
        this.url = destinationOf(received, { url: this.url, hops }, callInfo, this.#show);
        if (!isRedirect(received)) break;
      }
      this.response = received;
      const response = deadline.idle ? watchIdle(received, deadline) : received;
      return this.#succeed(await readAnswer(this.#call, response, this.url, this.#show), request);
    } catch (error) {
      return this.#fail(error);
    } finally {
      call.deadline.idle?.stop();
      this.#report();
    }
  }

  /** Opens the body, and returns the headers of this attempt. */
  #open(): FixedHeaders {
    const { callInfo, body, headers, deployment, deadline } = this.#call;
    const stream = typeof body === 'function' ? body() : body;
    if (stream instanceof ReadableStream) this.#upload = watchUpload(stream, deadline);
    const callerHeaders = headersOf(
      headers,
      callInfo,
      this.#number,
      this.#upload && deployment.transport.sendsContentLength,
    );
    if (callerHeaders.get('content-type') && body instanceof FormData) {
      throw new InvalidArgumentError('headers.content-type', 'must be null for a form');
    }
    return callerHeaders;
  }

  /** Builds the request. */
  #build(headers: TransportRequest['headers'], content: unknown): TransportRequest {
    const { callInfo, credentials, transport, deadline } = this.#call;
    const request: { -readonly [Field in keyof TransportRequest]: TransportRequest[Field] } = {
      method: callInfo.method,
      headers,
      redirect: 'manual',
      onAddress: this.#moveTo,
    };
    if (transport.takesEnds !== transport.send) request.signal = deadline.signal;
    if (content !== undefined) request.body = (runtime.encode?.(content) ?? content) as TransportBody;
    if (this.#upload) request.duplex = 'half';
    if (deadline.idle) request.onTaken = deadline.idle.awaitUptake;
    if (credentials?.cookies === 'include') request.credentials = credentials.cookies;
    return request;
  }

  /** Goes on with the address that the transport chose: errors name it, and redirects stay there. */
  readonly #moveTo = (url: string): void => {
    const call = this.#call;
    call.callInfo.origin = new URL(url).origin;
    if (this.url === call.url) this.#call = { ...call, url };
    this.url = url;
  };

  #succeed(answer: ReceivedResponse, { headers }: TransportRequest): ReceivedResponse {
    const call = this.#call;
    // An early response: once it is complete, the rest of the upload is dropped.
    if (!(answer.body instanceof ReadableStream)) this.#upload?.end();
    else call.deadline.onRelease = this.#upload?.end;
    // The body of a success is not searched: it may be large, and this runs for every call.
    if (call.observe) this.#show = filterOf(call, headers);
    return answer;
  }

  /** Keeps what failed: the source of the upload, the token, or anything else. */
  #fail(error: unknown): ArangoServicesError {
    const { callInfo, credentials, service } = this.#call;
    const upload = this.#upload;
    const status = this.response?.status;
    const isOfSource = upload?.failures.length && status === undefined;
    const cause = isOfSource ? new UploadError(callInfo, upload.failures[0]) : error;
    const failure = toFailure(cause, this.#call, this.#show, upload !== undefined);
    upload?.end();
    const { grpcCode } = failure as Partial<HttpError>;
    const tokenRefused = service?.addSelf !== undefined && status === 400 && grpcCode === 9;
    if (tokenRefused || status === 401) this.refused = this.#authorization ?? credentials?.cookies;
    this.#failure = Object.assign(failure, tokenRefused && { tokenRefused });
    return this.#failure;
  }

  /** Notifies the observer, which must neither change the call nor leave an unhandled rejection. */
  #report(): void {
    const { callInfo, observe, options } = this.#call;
    if (!observe) return;
    const event = {
      ...callInfo,
      operation: options?.operation,
      status: this.response?.status,
      code: this.#failure?.code,
      durationMs: performance.now() - this.#authorizedAt,
      credentialsMs: this.#authorizedAt - this.#startedAt,
      attempt: this.#number,
      requestId: this.#show(this.response?.headers.get('x-request-id') ?? '') || undefined,
    };
    quietly(() => observe(event));
  }
}

/** Sends a call within its deadline: with its retries, and once more after a 401 if the credentials were renewed. */
export async function exchange(call: PreparedCall): Promise<ReceivedResponse> {
  const { deployment, deadline, forToken } = call;
  const isOnce = call.body instanceof ReadableStream;
  let isRenewed = false;
  let retried = 0;
  for (let number = 1; ; number++) {
    const attempt = new Attempt(call, number);
    const outcome = await attempt.run();
    if (outcome instanceof ReceivedResponse) return outcome;
    const { response, url, refused } = attempt;
    if (refused !== undefined && !isRenewed) {
      isRenewed = true;
      // Reported even if the body cannot be resent, so that the next call does not get the same 401. A failed renewal
      // keeps the 401.
      const isOther = await quietly(() =>
        call.credentials?.reject?.(refused, deployment.context, isOnce ? undefined : forToken),
      );
      if (isOther && !isOnce && isHttpError(outcome)) continue;
    }
    if (!isOnce && retried < call.retries && (await pause(retryDelayMs(outcome, retried++), deadline))) continue;
    if (response && isHttpError(outcome) && allows(call.options, outcome.status)) {
      return new ReceivedResponse(response, outcome.body, attempt.asked, url);
    }
    throw outcome;
  }
}
