import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { failureResponse, hasNoBody, type NeutralHeaders, type NeutralResponse } from '../../wire/http.js';

// Node sets the headers that frame a body.
const framing: ReadonlySet<string> = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

/** Flattens headers to name, value, name, value, the fastest form for Node. */
function flatten(headers: NeutralHeaders, more: NeutralHeaders | undefined, framed: boolean): string[] {
  const flat: string[] = [];
  for (const [name, value] of headers) if (!(framed && framing.has(name))) flat.push(name, value);
  if (more !== undefined) for (const [name, value] of more) flat.push(name, value);
  return flat;
}

function write(
  request: IncomingMessage,
  outgoing: ServerResponse,
  response: NeutralResponse,
  more?: NeutralHeaders,
): void {
  const { status, headers, body } = response;
  if (hasNoBody(status)) return void outgoing.writeHead(status, flatten(headers, more, true)).end();
  if (body instanceof ReadableStream) {
    outgoing.writeHead(status, flatten(headers, more, true)).flushHeaders();
    // The cast: the DOM and Node declare the same class.
    const source = Readable.fromWeb(body as NodeStream);
    // If the body fails, the response is cut off; if the client disconnects, the body is cancelled.
    pipeline(source, outgoing).catch(() => request.socket.destroy());
    return;
  }
  // For HEAD, keeps the `content-length` of the body that a GET would have.
  const flat = flatten(headers, more, request.method !== 'HEAD');
  if (request.method !== 'HEAD') {
    const size = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
    flat.push('content-length', String(size));
  }
  outgoing.writeHead(status, flat).end(body);
}

// Two lengths and no status: no client reads this as a response, or as a connection closed before one.
const broken = 'HTTP/1.1 --- Dropped\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n';

/**
 * Drops the connection so that the caller sees an error. Browsers, Deno, Bun and Go retry a request if a reused
 * connection closes without a response, so they get an unreadable one. Node's clients, whose `user-agent` is missing,
 * `node`, `undici` or this client's with `node/`, do not retry; they get a reset, as in memory.
 */
function drop({ socket, headers: { 'user-agent': agent = '' } }: IncomingMessage): void {
  if (/^(?:$|node|undici|arango-services\S* node)/.test(agent)) socket.resetAndDestroy();
  else socket.end(broken);
}

/** Sends a response, or drops the connection if a fault says so. */
export function sendResponse(
  request: IncomingMessage,
  outgoing: ServerResponse,
  response: NeutralResponse,
  more: NeutralHeaders | undefined,
): void {
  if (response.drop === true) {
    drop(request);
    return;
  }
  try {
    write(request, outgoing, response, more);
  } catch {
    // A custom route set an invalid header or status.
    if (outgoing.headersSent) request.socket.destroy();
    else write(request, outgoing, failureResponse(undefined, 'database'), more);
  }
}
