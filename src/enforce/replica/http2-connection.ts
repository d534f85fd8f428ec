import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';

// A dead peer is detected after interval plus timeout: within 20 seconds.
const pingIntervalMs = 10_000;
const pingTimeoutMs = 5_000;
const connectTimeoutMs = 10_000;

/** Creates an error of connect with the runtime's error as its cause. */
const unavailableError = (message: string, cause?: unknown): ConnectError =>
  new ConnectError(message, Code.Unavailable, undefined, undefined, cause);

/** The peer closed the connection before its first HTTP/2 frame. */
const notHttp2 = (): Error => Object.assign(new Error('no HTTP/2'), { code: 'ERR_HTTP2_ERROR' });

/**
 * One HTTP/2 connection, opened on demand and reopened after it broke. Replaces the session manager of connect-node
 * 2.1.2, which pings destroyed sessions and thereby ends the process.
 */
export class Http2Connection {
  readonly authority: string;
  readonly #options: SecureClientSessionOptions;
  #session: ClientHttp2Session | undefined;
  #opening: Promise<ClientHttp2Session> | undefined;
  #pingTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(authority: string, options: SecureClientSessionOptions) {
    this.authority = authority;
    this.#options = options;
  }

  async request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: Omit<ClientSessionRequestOptions, 'signal'>,
  ): Promise<ClientHttp2Stream> {
    const session = await this.#usable();
    return session.request({ ...headers, ':method': method, ':path': path }, options);
  }

  /** Identifies the current connection; undefined if there is none. */
  get current(): unknown {
    return this.#session;
  }

  /** Called by connect for each received byte: the next ping can wait. */
  notifyResponseByteRead(): void {
    if (this.#session !== undefined) this.#awaitPing(this.#session);
  }

  /** Closes the connection and every stream on it. */
  close(): void {
    this.#session?.destroy(undefined, constants.NGHTTP2_CANCEL);
  }

  #usable(): Promise<ClientHttp2Session> {
    const session = this.#session;
    if (this.#opening === undefined && session !== undefined && !session.destroyed && !session.closed) {
      return Promise.resolve(session);
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Opens a connection and waits for SETTINGS, the peer's first HTTP/2 frame. */
  #open(): Promise<ClientHttp2Session> {
    // After a GOAWAY the old server may keep streams open. All streams must share one connection, so the old one is
    // destroyed.
    this.#session?.destroy(undefined, constants.NGHTTP2_CANCEL);
    const session = connect(this.authority, this.#options);
    this.#session = session;
    return new Promise((resolve, reject) => {
      let failure: unknown;
      const timer = setTimeout(
        () => session.destroy(unavailableError(`${this.authority} does not answer`)),
        connectTimeoutMs,
      );
      // This listener stays: an unhandled error of a session would end the process.
      session.on('error', (error) => {
        failure ??= error;
      });
      session.once('remoteSettings', () => {
        clearTimeout(timer);
        this.#awaitPing(session);
        resolve(session);
      });
      session.once('close', () => {
        clearTimeout(timer);
        if (session === this.#session) clearTimeout(this.#pingTimer);
        const cause = failure ?? notHttp2();
        reject(cause instanceof ConnectError ? cause : unavailableError('the connection failed', cause));
      });
    });
  }

  #awaitPing(session: ClientHttp2Session): void {
    clearTimeout(this.#pingTimer);
    if (session.destroyed) return;
    this.#pingTimer = setTimeout(() => {
      const dead = (): void => session.destroy(unavailableError(`${this.authority} does not answer pings`));
      this.#pingTimer = setTimeout(dead, pingTimeoutMs);
      if (!session.destroyed) session.ping((error) => error ?? this.#awaitPing(session));
    }, pingIntervalMs);
  }
}
