import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Mock } from '../../mock.js';
import { failureResponse, hasNoBody, type NeutralResponse, type RequestStream } from '../../wire/http.js';
import type { NodePort } from './console-port.js';
import type { HostCheck } from './host-check.js';
import type { Links } from './links.js';
import { chunksOf, NodeHeaders, readBody, splitTarget } from './node-request.js';

// Taken from the process when it is needed: an import would load the module with this file.
const http2 = () => process.getBuiltinModule('node:http2');

// Headers of HTTP/1.1 that HTTP/2 streams reject.
const connectionOnly = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

function http2Headers({ status, headers }: NeutralResponse): Record<string, number | string | string[]> {
  const all = new Map<string, string[]>();
  for (const [name, value] of headers) {
    if (!connectionOnly.has(name) && name !== 'content-length') all.set(name, [...(all.get(name) ?? []), value]);
  }
  const plain = [...all].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values] as const);
  return { ...Object.fromEntries(plain), ':status': status };
}

function write(stream: ServerHttp2Stream, response: NeutralResponse): void {
  const { status, body } = response;
  const empty = hasNoBody(status) || body === undefined || body === '';
  stream.respond(http2Headers(response), { endStream: empty });
  if (empty) return;
  if (!(body instanceof ReadableStream)) return void stream.end(body);
  // The cast: the DOM and Node declare the same class. If the body fails, the response is cut off.
  pipeline(Readable.fromWeb(body as NodeStream), stream).catch(() =>
    stream.close(http2().constants.NGHTTP2_INTERNAL_ERROR),
  );
}

function send(stream: ServerHttp2Stream, response: NeutralResponse): void {
  if (stream.destroyed) return;
  if (response.drop === true) {
    // Not REFUSED_STREAM, which clients retry.
    stream.close(http2().constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  try {
    write(stream, response);
  } catch {
    // A custom route set an invalid header.
    if (!stream.headersSent) write(stream, failureResponse(undefined, 'database'));
  }
}

/** Drops the pseudo-headers of HTTP/2. */
function plainHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
}

/** Creates the HTTP/2 server without TLS, for clients with prior knowledge (the database's Go and Java drivers). */
export function createHttp2(mock: Mock, links: Links, checkHost: HostCheck, consolePort?: NodePort): Http2Server {
  const { bodyBytes } = mock.settings.limits;
  const server = http2().createServer();
  server.on('session', links.addSession);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (consolePort?.http2(stream, headers)) return;
    const refused = checkHost(headers[':authority'] ?? headers.host, headers.origin);
    if (refused !== undefined) {
      stream.resume(); // Discards the body.
      return send(stream, refused);
    }
    const began = mock.epoch;
    const gone = new AbortController();
    stream.once('close', () => gone.abort());
    const { ':method': method = 'GET', ':path': target = '/' } = headers;
    const answer = (body?: Buffer, chunks?: RequestStream): void => {
      const neutral = {
        method,
        ...splitTarget(target),
        stream: chunks,
        headers: new NodeHeaders(plainHeaders(headers)),
        body: body === undefined ? undefined : new Uint8Array(body),
      };
      void Promise.resolve(mock.handle(neutral, gone.signal, began)).then((response) => send(stream, response));
    };
    if (stream.endAfterHeaders) return answer();
    if (mock.parts.routing.streams(method, splitTarget(target).path)) {
      stream.once('finish', () => stream.resume());
      return answer(undefined, chunksOf(stream));
    }
    readBody(stream, bodyBytes, (chunks) => answer(chunks.length === 0 ? undefined : Buffer.concat(chunks)));
  });
  return server;
}
