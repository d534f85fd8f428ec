import type { Dispatcher, Pool } from 'undici';
import type { TransportRequest, TransportResponse } from '../../connection/transport.js';
import { encodeForWire } from './body.js';
import { acceptedEncodings } from './decode.js';
import { Incoming, NodeResponse, type Unread } from './response.js';
import type { WatchedDispatchOptions } from './undici.js';

/** Where a URL leads: its origin, and what is asked for there. */
export function splitUrl(url: string): readonly [origin: string, path: string] {
  // It was parsed before; a path begins at the first slash behind the scheme's two.
  const slash = url.indexOf('/', 'https://'.length);
  return slash === -1 ? [url, '/'] : [url.slice(0, slash), url.slice(slash)];
}

const defaults = { accept: '*/*', 'accept-encoding': acceptedEncodings, 'user-agent': 'arango-services' };

/** The promise of an answer. */
interface Pending {
  resolve(response: TransportResponse): void;
  reject(error: unknown): void;
}

/** One request that undici sends: it hears of the answer as it arrives. */
class DispatchedRequest implements Dispatcher.DispatchHandler {
  readonly #url: string;
  readonly #options: WatchedDispatchOptions;
  readonly #unread: Unread;
  /** Undefined once there is an answer, which it would keep from being collected. */
  #pending: Pending | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #incoming: Incoming | undefined;
  #over = false;
  /** Whether it met a connection that had answered before. */
  reused = false;

  constructor(url: string, options: WatchedDispatchOptions, unread: Unread, pending: Pending) {
    this.#url = url;
    this.#options = options;
    this.#unread = unread;
    this.#pending = pending;
  }

  /** Ends it, whether it waits for a connection, for an answer or for its body. */
  abort(reason: unknown): void {
    this.#pending?.reject(reason);
    if (!this.#over && this.#controller) this.#options.connection?.cut(this.#controller);
    this.#over = true;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) {
      // Aborted while it waited. A connection that was made for it goes; to throw keeps one that others have used.
      if (!this.#options.connection?.used) this.#options.connection?.cut(controller);
      throw new Error('aborted');
    }
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
    if (this.#options.connection) this.#options.connection.used = true;
    const empty = this.#options.method === 'HEAD' || status === 204 || status === 205 || status === 304;
    if (!empty) this.#incoming = new Incoming(controller, () => this.abort(undefined));
    this.#pending?.resolve(new NodeResponse(status, statusText, headers, this.#url, this.#incoming, this.#unread));
    this.#pending = undefined;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#incoming?.push(chunk);
  }

  onResponseEnd(): void {
    this.#over = true;
    this.#incoming?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, last: Error): void {
    const error = this.#options.connection?.failure ?? last;
    this.#over = true;
    this.#incoming?.end({ error });
    this.#pending?.reject(error);
  }
}

/** The codes of failures after which a request may be sent again: the server had closed an idle connection. */
const closed = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;
/** The most tries: so many closed connections may come in a row. */
const mostTries = 16;

/** Sends a request over a pool. A GET or HEAD that met a connection which the server had closed is sent again. */
export async function sendOver(
  pool: Pool,
  url: string,
  path: string,
  request: TransportRequest,
  unread: Unread,
): Promise<TransportResponse> {
  const { method, body, signal } = request;
  const headers: Record<string, string> = { ...defaults, ...request.headers };
  const options: WatchedDispatchOptions = { path, method: method as Dispatcher.HttpMethod, headers };
  if (body !== undefined) {
    const encoded = encodeForWire(body);
    options.body = encoded.body as NonNullable<WatchedDispatchOptions['body']>;
    if (encoded.type !== '') headers['content-type'] ??= encoded.type;
  }
  for (let tries = 1; ; tries++) {
    let sent: DispatchedRequest | undefined;
    const abort = () => sent?.abort(signal?.reason);
    try {
      return await new Promise<TransportResponse>((resolve, reject) => {
        sent = new DispatchedRequest(url, options, unread, { resolve, reject });
        // The signal is one call's own: nothing that listens to it outlives the call.
        signal?.addEventListener('abort', abort);
        pool.dispatch(options, sent);
      });
    } catch (error) {
      const { code } = Object(error) as { readonly code?: unknown };
      const again = sent?.reused && (method === 'GET' || method === 'HEAD') && closed.test(String(code));
      if (!again || tries === mostTries || signal?.aborted) throw error;
      signal?.removeEventListener('abort', abort);
    }
  }
}
