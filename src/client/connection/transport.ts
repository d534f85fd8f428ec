import { accepting } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';

/** The bodies that a transport sends: the caller's, validated and copied, or the text of its JSON. */
export type TransportBody = string | ArrayBuffer | Bytes | Blob | FormData | URLSearchParams | ByteStream;

/** One request, which is sent once. It fits `fetch(url, request)`. */
export interface TransportRequest {
  /** In upper case. */
  readonly method: string;
  /**
   * By lower-case name. Includes the content type of text and JSON; a transport sets the type of any other body as
   * `fetch` does.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Set to `'half'` with a stream, for `fetch`. */
  readonly body?: TransportBody;
  readonly duplex?: 'half';
  /** Aborts the request, or the body of its response, with its reason. */
  readonly signal?: AbortSignal;
  /**
   * Set if the call has an idle timeout. To be called whenever the server has taken a part of the body, if the
   * transport can notice that. Not called for a stream: the package counts its pulls.
   */
  readonly onTaken?: () => void;
  /** To be called with each URL that is sent to, by a transport that chooses among addresses: errors name the last. */
  readonly onAddress?: (url: string) => void;
  /** Set if cookies are sent to other origins than the page's, for `fetch`. */
  readonly credentials?: 'include';
  /** A transport does not follow redirects: this package does, inside the origin. */
  readonly redirect: 'manual';
}

/** The headers of a response: `Headers` or a Map by lower-case name. */
export interface TransportHeaders extends Iterable<readonly [name: string, value: string]> {
  /** Returns the value of a header, by its lower-case name. */
  get(name: string): string | null | undefined;
}

/** The part of `Response` in use. Only one of `body`, `text`, `bytes`, `blob` and `upTo` is used, once. */
export interface TransportResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: TransportHeaders;
  /** The final URL, and true if it differs from the requested one. */
  readonly url: string;
  readonly redirected: boolean;
  /** `error` means that there was no response; `opaqueredirect` is a redirect that the runtime hides. */
  readonly type: string;
  /** The body as a stream, created on demand; null if the response has none. */
  readonly body: ByteStream | null;
  /** The body as text. */
  text(): Promise<string>;
  /** The body as bytes. */
  bytes(): Promise<Bytes>;
  /** The body as a Blob. */
  blob(): Promise<Blob>;
  /** Reads at most this many bytes of the body and discards the rest. Without it they are read from `body`. */
  upTo?(most: number): Promise<Uint8Array>;
}

/** @internal The end of a call, which costs less than its signal. */
export interface Ends {
  /** The error of the call, once it has ended. */
  readonly failure: unknown;
  /** Calls back when it ends. */
  whenEnded(callback: (reason: unknown) => void): void;
}

/**
 * @internal A transport whose `send` takes `ends`; its requests then have no signal. `takesEnds` must be the `send` of
 * the same object: a wrapper that copies the field `takesEnds`, but has a `send` of its own, still gets the signal.
 */
export interface EndedTransport {
  send(url: string, request: TransportRequest, ends?: Ends): Promise<TransportResponse>;
  readonly takesEnds?: EndedTransport['send'];
}

/**
 * Sends requests over the network: `createClient({ transport })`. The default is ky over `fetch`; `nodeTransport` of
 * `arango-services/node` is another one.
 */
export interface Transport {
  /**
   * Sends one request once. Rejects if there is no response; the code of the error (`ECONNREFUSED`) is kept, its
   * message is not.
   */
  send(url: string, request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle connections once everything in flight has ended. Called when the last client that uses it closes. */
  close?(): Promise<void>;
  /**
   * True if the transport sends a caller's own `content-length` with a stream. Otherwise, as over `fetch`, the length
   * of a stream is unknown, and the header is rejected.
   */
  readonly sendsContentLength?: boolean;
}

/** A transport. */
export const readTransport = accepting<Transport>(
  'an object with send(), not frozen',
  (value) => hasMethod(value, 'send') && Object.isExtensible(value),
);

// A registered symbol, so that two copies of the package share the count of a transport.
const users = Symbol.for('arango-services.users');

/** Registers a client; the returned function unregisters it and closes the transport with the last one. */
export function openTransport(transport: Transport): () => Promise<void> {
  const shared: Transport & { [users]?: number } = transport;
  shared[users] = (shared[users] ?? 0) + 1;
  return async () => {
    if (--(shared as { [users]: number })[users] === 0) await transport.close?.();
  };
}
