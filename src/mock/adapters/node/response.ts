import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { failureResponse, hasNoBody, type NeutralHeaders, type NeutralResponse } from '../../wire/http.js';

// How a body is framed is for Node to say, who knows what it sends.
const framing: ReadonlySet<string> = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

/** Node's quickest form of headers: name, value, name, value. */
function flatten(headers: NeutralHeaders, more: NeutralHeaders | undefined, framed: boolean): string[] {
  const flat: string[] = [];
  for (const [name, value] of headers) if (!(framed && framing.has(name))) flat.push(name, value);
  if (more !== undefined) for (const [name, value] of more) flat.push(name, value);
  return flat;
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  reply: NeutralResponse,
  more?: NeutralHeaders,
): void {
  const { status, headers, body } = reply;
  if (hasNoBody(status)) return void response.writeHead(status, flatten(headers, more, true)).end();
  if (body instanceof ReadableStream) {
    response.writeHead(status, flatten(headers, more, true)).flushHeaders();
    // The cast: one class with two declarations, the DOM's and Node's.
    const source = Readable.fromWeb(body as NodeStream);
    // A stream that breaks is an answer that breaks off; a client that has gone away ends the stream.
    pipeline(source, response).catch(() => request.socket.destroy());
    return;
  }
  // What a HEAD says of the length is about the body that a GET would have.
  const flat = flatten(headers, more, request.method !== 'HEAD');
  if (request.method !== 'HEAD') {
    const size = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
    flat.push('content-length', String(size));
  }
  response.writeHead(status, flat).end(body);
}

// Two lengths and no status: no client takes this for an answer, nor for a connection that ended before it.
const broken = 'HTTP/1.1 --- Dropped\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n';

/**
 * Ends the connection without an answer, so that the caller hears of it. Browsers, Deno, Bun and Go send a request
 * again when a connection that was used before ends without one: they get an answer that cannot be read. Node's clients
 * do not, and they get a reset, as in memory; they send no `user-agent`, or say `node` or `undici`.
 */
function drop({ socket, headers: { 'user-agent': agent = '' } }: IncomingMessage): void {
  if (/^(?:$|node|undici)/.test(agent)) socket.resetAndDestroy();
  else socket.end(broken);
}

/** Sends an answer of the mock, or closes the connection where a fault says so. */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: NeutralResponse,
  more: NeutralHeaders | undefined,
): void {
  if (reply.drop === true) {
    drop(request);
    return;
  }
  try {
    write(request, response, reply, more);
  } catch {
    // A custom route named a header or a status that HTTP does not know.
    if (response.headersSent) request.socket.destroy();
    else write(request, response, failureResponse(undefined, 'database'), more);
  }
}
