import type { ClientRequest } from 'node:http';
import type { ByteStream } from '../../base/lib/web-types.js';
import { endToEnd, type Header, headersOf } from './forwarded-headers.js';

interface ForwardedRequest {
  /** The origin of the service. */
  readonly origin: string;
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  /** The caller's headers, by lower-case names. */
  readonly headers: Iterable<Header>;
  /** Headers that are set in place of the caller's. */
  readonly set: readonly Header[];
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal | undefined;
}

/** The service's answer. */
interface ForwardedAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  /** Undefined if the answer has no body. */
  readonly body: ByteStream | undefined;
}

/** The headers to send. The body is framed by its own length, or by the caller's header if it is a stream. */
function requestHeaders({ headers, set, body }: ForwardedRequest): Map<string, string> {
  const sent = new Map([...endToEnd(headers), ...set]);
  // The server that received the request has answered this header.
  sent.delete('expect');
  // Otherwise a service that answers before the end of the body closes the connection, and its answer may be lost.
  sent.set('connection', 'keep-alive');
  if (body === undefined || typeof body === 'string' || ArrayBuffer.isView(body)) {
    sent.delete('content-length');
    // A string has one byte or more for each character.
    if (body !== undefined) sent.set('content-length', String(Buffer.byteLength(body)));
  } else if (!/^\d+$/.test(sent.get('content-length') ?? '')) {
    // Without either, Node would send the body of a DELETE unframed.
    sent.delete('content-length');
    sent.set('transfer-encoding', 'chunked');
  }
  return sent;
}

const builtin = <Name extends 'node:http' | 'node:https' | 'node:stream'>(name: Name) => process.getBuiltinModule(name);

/** Sends the body. Its failure ends the request, unless the service has answered already. */
function sendBody(outgoing: ClientRequest, body: ForwardedRequest['body']): void {
  if (body === undefined || typeof body === 'string' || ArrayBuffer.isView(body)) return void outgoing.end(body);
  // The callback does nothing, because a failure is also an event of the request.
  builtin('node:stream').pipeline(body, outgoing, () => {});
}

/**
 * Sends a request to a service and resolves with its answer, which may come before the body has been sent. Both bodies
 * are streams. Redirects and encoded bodies are passed on as they are; there is no upgrade. Rejects if the service does
 * not answer. Needs `node:http`.
 */
export function send(request: ForwardedRequest): Promise<ForwardedAnswer> {
  const { origin, method, target, signal } = request;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const url = new URL(origin);
  const options = {
    // Node's own names for the host of `[::1]`.
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method,
    path: target,
    headers: Object.fromEntries(requestHeaders(request)),
    // A connection for each request: none is reused that the service is about to close.
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const { request: open } = builtin(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const outgoing = open(options, (incoming) => {
      const { statusCode: status = 0 } = incoming;
      const isEmpty = method === 'HEAD' || status === 204 || status === 205 || status === 304;
      if (isEmpty) incoming.resume();
      // The cast: the DOM and Node declare the same class.
      const body = isEmpty ? undefined : (builtin('node:stream').Readable.toWeb(incoming) as unknown as ByteStream);
      resolve({ status, headers: endToEnd(headersOf(incoming.rawHeaders)), body });
    });
    // Stays after the answer, when it changes nothing, because an unhandled error would end the process.
    outgoing.on('error', reject);
    const giveUp = (): void => void outgoing.destroy();
    signal?.addEventListener('abort', giveUp, { once: true });
    outgoing.on('close', () => {
      signal?.removeEventListener('abort', giveUp);
      // Node reports an answer that switches protocols as another event.
      reject(new Error('closed without an answer'));
    });
    sendBody(outgoing, request.body);
  });
}
