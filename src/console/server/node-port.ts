import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { NodePort } from '../../mock/adapters/node/console-port.js';
import { type ConsoleHandler, type ConsoleRequest, type ConsoleResponse, isConsolePath } from './handler.js';
import type { Headers } from './page-access.js';

/** Reads a body up to a number of bytes and discards the rest, so that the request can be answered. */
async function readBody(source: Readable, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  const isWhole = await new Promise<boolean>((resolve) => {
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) resolve(false);
      else chunks.push(chunk);
    });
    source.once('end', () => resolve(true));
    source.once('close', () => resolve(false));
  });
  if (!isWhole) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}

function toHeaders(headers: IncomingHttpHeaders): Headers {
  const list = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]);
  return Object.fromEntries(list);
}

function toRequest(method: string, target: string, headers: Headers, source: Readable): ConsoleRequest {
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1) || '?'];
  return { method, path, query, headers, body: (most) => readBody(source, most) };
}

const pathOf = (target: string): string => target.split('?', 1)[0] ?? '';

const fieldsOf = ({ headers }: ConsoleResponse): Record<string, string> => Object.fromEntries(headers);

function writeHttp1(request: IncomingMessage, outgoing: ServerResponse, response: ConsoleResponse): void {
  const { status, body } = response;
  // After a partly read body the connection cannot be reused.
  const more = request.complete ? {} : { connection: 'close' };
  outgoing.writeHead(status, { ...fieldsOf(response), ...more });
  if (body instanceof ReadableStream && request.method !== 'HEAD') {
    outgoing.flushHeaders();
    // The cast: the DOM and Node declare the same class.
    pipeline(Readable.fromWeb(body as NodeStream), outgoing).catch(() => outgoing.destroy());
  } else {
    outgoing.end(request.method === 'HEAD' || body instanceof ReadableStream ? undefined : body);
  }
}

function writeHttp2(stream: ServerHttp2Stream, method: string, response: ConsoleResponse): void {
  const { status, body } = response;
  if (stream.destroyed) {
    // HEAD: cancels the stream of events, which is never read.
    if (body instanceof ReadableStream) void body.cancel();
    return;
  }
  stream.respond({ ...fieldsOf(response), ':status': status });
  if (method !== 'HEAD' && body instanceof ReadableStream) {
    // The cast: as above.
    pipeline(Readable.fromWeb(body as NodeStream), stream).catch(() => stream.destroy());
  } else {
    stream.end(method === 'HEAD' || body instanceof ReadableStream ? undefined : body);
  }
}

/** Adapts a handler to Node's servers. */
export function createNodePort(answer: ConsoleHandler): NodePort {
  return {
    http1(request, outgoing) {
      const target = request.url ?? '';
      if (!isConsolePath(pathOf(target))) return false;
      const neutral = toRequest(request.method ?? '', target, toHeaders(request.headers), request);
      void answer(neutral).then((response) => writeHttp1(request, outgoing, response));
      return true;
    },
    http2(stream, headers) {
      const { ':path': target = '', ':method': method = '', ':authority': authority, host, ...rest } = headers;
      if (!isConsolePath(pathOf(target))) return false;
      // If the two differ, the request is refused as one without a host.
      const named =
        authority !== undefined && host !== undefined && authority !== host ? undefined : (authority ?? host);
      const neutral = toRequest(method, target, { ...toHeaders(rest), host: named }, stream);
      void answer(neutral).then((response) => writeHttp2(stream, method, response));
      return true;
    },
  };
}
