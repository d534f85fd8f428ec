import { accepting } from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';
import type { ByteStream, Bytes } from '../lib/web-types.js';

/** The bodies that a transport sends: what a caller gave, checked and copied, or the text of its JSON. */
export type TransportBody = string | ArrayBuffer | Bytes | Blob | FormData | URLSearchParams | ByteStream;

/** One request, to be sent once. It fits `fetch(url, request)`. */
export interface TransportRequest {
  /** In upper case. */
  readonly method: string;
  /**
   * By lower-case name. The content type of text and JSON is among them; a transport names the type of any other body
   * as `fetch` does.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream comes with `duplex: 'half'`, for `fetch`. */
  readonly body?: TransportBody;
  readonly duplex?: 'half';
  /** Aborts the request, or the body of its answer, with its reason. */
  readonly signal?: AbortSignal;
  /** A transport does not follow redirects: the package does, inside the origin. */
  readonly redirect: 'manual';
}

/** The headers of an answer: `Headers` or a Map by lower-case name. */
export interface TransportHeaders extends Iterable<readonly [name: string, value: string]> {
  /** The value of a header, by its lower-case name. */
  get(name: string): string | null | undefined;
}

/** The part of `Response` that is used. Of `body`, `text`, `bytes`, `blob` and `upTo` one is asked for, once. */
export interface TransportResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: TransportHeaders;
  /** The URL that answered, and whether it is another one than was asked for. */
  readonly url: string;
  readonly redirected: boolean;
  /** `error` means that there was no answer; `opaqueredirect` is a redirect that the runtime hides. */
  readonly type: string;
  /** The body as a stream, made on demand; null where the answer has none. */
  readonly body: ByteStream | null;
  /** The body as text. */
  text(): Promise<string>;
  /** The body as bytes. */
  bytes(): Promise<Bytes>;
  /** The body as a Blob. */
  blob(): Promise<Blob>;
  /** At most so many bytes of the body; the rest is given up. Without it they are read from `body`. */
  upTo?(most: number): Promise<Uint8Array>;
}

/**
 * How requests reach the network: `createClient({ transport })`. The default is ky over `fetch`; `nodeTransport` of
 * `arango-services/node` is another one.
 */
export interface Transport {
  /**
   * Sends one request once. Rejects where there is no answer; the code of the error (`ECONNREFUSED`) is kept, its
   * text is not.
   */
  send(url: string, request: TransportRequest): Promise<TransportResponse>;
  /**
   * Ends connections that are kept open, once what is under way has ended. Called when the last client that uses it
   * closes.
   */
  close?(): Promise<void>;
  /**
   * True if it sends a caller's own `content-length` with a stream. Without it, as over `fetch`, the length of a stream
   * is unknown, and the header is refused.
   */
  readonly sendsContentLength?: boolean;
}

/** A transport. */
export const readTransport = accepting<Transport>(
  'an object with send(url, request), not frozen',
  (value) => hasMethod(value, 'send') && Object.isExtensible(value),
);

// Registered: two copies of the package that share a transport count together.
const users = Symbol.for('arango-services.users');

/** Counts a client in; the returned function counts it out and closes the transport with the last one. */
export function openTransport(transport: Transport): () => Promise<void> {
  const shared: Transport & { [users]?: number } = transport;
  shared[users] = (shared[users] ?? 0) + 1;
  return async () => {
    if (--(shared as { [users]: number })[users] === 0) await transport.close?.();
  };
}
