import type { Dispatcher, Pool } from 'undici';
import { NetworkError } from '../../../base/errors.js';
import type { Ends, TransportRequest, TransportResponse } from '../../connection/transport.js';
import { userAgent } from '../../runtimes/user-agent.js';
import { ConnectError } from './connect-error.js';
import { acceptedEncodings } from './decode.js';
import { Incoming, NodeResponse, type Unread } from './node-response.js';
import { proxyAuthorization, refusedByProxy } from './proxy.js';
import type { Semaphore } from './semaphore.js';
import type { WatchedDispatchOptions } from './undici.js';
import { encodeForWire, inParts } from './undici-body.js';

/** Splits a URL into its origin and the request target. */
function splitUrl(url: string): readonly [origin: string, path: string] {
  // The URL was parsed before; the path starts at the first slash after the authority.
  const slash = url.indexOf('/', 'https://'.length);
  return slash === -1 ? [url, '/'] : [url.slice(0, slash), url.slice(slash)];
}

const defaults = { accept: '*/*', 'accept-encoding': acceptedEncodings, 'user-agent': userAgent() };

/** The destination of requests to an origin. */
export interface Lane {
  readonly pool: Pool;
  /** The proxy that gets requests in absolute form. */
  readonly forward: URL | undefined;
  /** Makes calls wait for a free connection; undefined if the number of connections is unlimited. */
  readonly slots: Semaphore | undefined;
  readonly unread: Unread;
}

/** The promise of a response. */
type Pending = { resolve(response: TransportResponse): void; reject(error: unknown): void };

/** More than this may wait in the buffers of the system, untaken by the server. */
const mostBuffered = 65_536;

/** True for a body of many bytes, or of an unknown number. */
const isLarge = (body: WatchedDispatchOptions['body']): boolean => {
  // The cast: the body is text, bytes, a Blob or an iterable, each of which has one of these fields or none.
  const { length, size = length } = Object(body) as { readonly length?: number; readonly size?: number };
  return body != null && !(Number(size) <= mostBuffered);
};

/** A request to undici, which handles the response as it arrives. */
class DispatchedRequest implements Dispatcher.DispatchHandler {
  readonly #url: string;
  readonly #options: WatchedDispatchOptions;
  readonly #unread: Unread;
  readonly #slots: Semaphore | undefined;
  /** Undefined once there is a response, so that it can be garbage-collected. */
  #pending: Pending | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #incoming: Incoming | undefined;
  #status = 0;
  /** True once aborted, answered or failed. */
  #over = false;
  /** Removes the request from the queue for slots; undefined once it has a slot. */
  #leaveQueue: (() => void) | undefined;
  /** True if the request was sent over a connection that had answered before. */
  reused = false;

  constructor(
    url: string,
    options: WatchedDispatchOptions,
    { unread, slots }: Pick<Lane, 'unread' | 'slots'>,
    pending: Pending,
  ) {
    this.#url = url;
    this.#options = options;
    this.#unread = unread;
    this.#slots = slots;
    this.#pending = pending;
  }

  /** Sends the request when a slot is free. */
  dispatch(pool: Pool): void {
    if (this.#slots === undefined) return void pool.dispatch(this.#options, this);
    let isIn = false;
    const leave = this.#slots.enter(() => {
      isIn = true;
      this.#leaveQueue = undefined;
      pool.dispatch(this.#options, this);
    });
    if (!isIn) this.#leaveQueue = leave;
  }

  /** Aborts the request while it waits for a connection, for the response or for the body. */
  abort(reason: unknown): void {
    this.#pending?.reject(reason);
    if (this.#over) return;
    this.#over = true;
    if (this.#leaveQueue) this.#leaveQueue();
    else if (this.#controller) this.#options.connection?.cut();
    // Other waiting requests will use the connection.
    else if (!this.#slots?.isCrowded) this.#options.connection?.abandon();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Aborted while waiting: throwing keeps the connection for others.
    if (this.#over) throw new Error('aborted');
    this.#controller = controller;
    this.reused = this.#options.connection?.used === true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText = '',
  ): void {
    if (status < 200) return;
    this.#status = status;
    const { connection } = this.#options;
    if (connection) {
      connection.used = true;
      connection.beforeEnd = () => this.#incoming?.takeAll();
    }
    const empty = this.#options.method === 'HEAD' || status === 204 || status === 205 || status === 304;
    if (!empty) this.#incoming = new Incoming(controller, () => this.abort(undefined));
    try {
      this.#pending?.resolve(
        new NodeResponse({ status, statusText, headers }, this.#url, this.#incoming, this.#unread),
      );
    } catch (error) {
      this.abort(error);
    }
    this.#pending = undefined;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#incoming?.push(chunk);
  }

  onResponseEnd(): void {
    this.#over = true;
    const { connection, body } = this.#options;
    if (connection) connection.beforeEnd = undefined;
    // The server may answer before it has taken the body, and never take the rest: the next request would wait for it.
    if (connection?.isSending || (this.#status >= 400 && isLarge(body))) connection?.cut();
    this.#incoming?.end();
    this.#slots?.leave();
  }

  onResponseError(_controller: Dispatcher.DispatchController, last: Error): void {
    const error = this.#options.connection?.failure ?? last;
    this.#over = true;
    this.#incoming?.end({ error });
    this.#pending?.reject(error);
    this.#slots?.leave();
  }
}

/** The options of undici for a request to a path, or to the whole URL if a proxy forwards it. */
function dispatchOptions(request: TransportRequest, target: string, forward: URL | undefined): WatchedDispatchOptions {
  const { method, body, onTaken } = request;
  const headers: Record<string, string> = { ...defaults, ...request.headers };
  const options: WatchedDispatchOptions = { path: target, method: method as Dispatcher.HttpMethod, headers };
  const authorization = forward && proxyAuthorization(forward);
  if (authorization) headers['proxy-authorization'] = authorization;
  if (body !== undefined) {
    const encoded = encodeForWire(body);
    const parts = onTaken && inParts(encoded, onTaken);
    if (parts) headers['content-length'] = String(parts.size);
    options.body = (parts ?? encoded).body as NonNullable<WatchedDispatchOptions['body']>;
    if (encoded.type !== '') headers['content-type'] ??= encoded.type;
  }
  return options;
}

/** The error codes of an idle connection that the server had closed; the request may be sent again. */
const closed = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;
/** The maximum number of attempts, as several closed connections may come in a row. */
const mostTries = 16;

/** Sends a request over a pool. A GET or HEAD on a connection that the server had closed is sent again. */
export async function sendOver(
  laneTo: (origin: string) => Lane,
  url: string,
  request: TransportRequest,
  ends?: Ends,
): Promise<TransportResponse> {
  // A call that was aborted meanwhile must not be sent.
  if (ends?.failure) throw ends.failure;
  request.signal?.throwIfAborted();
  const [origin, path] = splitUrl(url);
  const lane = laneTo(origin);
  const { pool, forward } = lane;
  const { method } = request;
  const signal = ends ? undefined : request.signal;
  let sent: DispatchedRequest | undefined;
  let aborted = false;
  ends?.whenEnded((reason) => {
    aborted = true;
    sent?.abort(reason);
  });
  const options = dispatchOptions(request, forward ? origin + path : path, forward);
  for (let tries = 1; ; tries++) {
    const abort = () => sent?.abort(signal?.reason);
    try {
      const response = await new Promise<TransportResponse>((resolve, reject) => {
        sent = new DispatchedRequest(url, options, lane, { resolve, reject });
        // The signal belongs to one call, so no listener outlives the call.
        signal?.addEventListener('abort', abort);
        sent.dispatch(pool);
      });
      if (forward && response.status === 407) {
        sent?.abort(undefined);
        throw new ConnectError('the proxy answered 407', refusedByProxy);
      }
      return response;
    } catch (error) {
      const { code } = Object(error) as { readonly code?: unknown };
      const again = sent?.reused && (method === 'GET' || method === 'HEAD') && closed.test(String(code));
      if (!again || tries === mostTries || aborted || signal?.aborted) {
        if (!(error instanceof ConnectError)) throw error;
        const callInfo = { method, path: path.replace(/\?.*/s, ''), origin };
        throw new NetworkError(callInfo, error.message, error.code);
      }
      signal?.removeEventListener('abort', abort);
    }
  }
}
