import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { NeutralRequest, ReadableHeaders, RequestStream } from '../../wire/http.js';

/** Adapts Node's header object, without copying. */
export class NodeHeaders implements ReadableHeaders {
  readonly #headers: IncomingMessage['headers'];

  constructor(headers: IncomingMessage['headers']) {
    this.#headers = headers;
  }

  get(name: string): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : undefined;
  }

  entries(): [string, string][] {
    return Object.keys(this.#headers).map((name) => [name, this.get(name) ?? '']);
  }
}

/** Splits a request target into path and query, as sent. */
export function splitTarget(target: string): { path: string; query: string } {
  // Clients of a proxy send the absolute URL; only its path counts.
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  return { path: path === '' ? '/' : path, query: at < 0 ? '' : url.slice(at + 1) };
}

/**
 * The body of a request as chunks. The rest of a body that is not read to its end is drained, because browsers look at
 * an answer only after their upload, and so that the connection can be reused.
 */
export async function* chunksOf(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body.iterator({ destroyOnReturn: false });
  } finally {
    body.resume();
  }
}

/** Reads a body, or its first bytes over a maximum; the rest is drained so that the connection can be reused. */
export function readBody(body: Readable, most: number, done: (chunks: readonly Buffer[]) => void): void {
  const chunks: Buffer[] = [];
  let left = most;
  body.on('data', (chunk: Buffer) => {
    if (left < 0) return;
    chunks.push(chunk);
    left -= chunk.length;
    if (left < 0) done([Buffer.concat(chunks, most + 1)]);
  });
  body.once('end', () => {
    if (left >= 0) done(chunks);
  });
}

/** Converts a request of `node:http`. */
export function neutralRequest(
  request: IncomingMessage,
  body: Buffer | undefined,
  stream?: RequestStream,
): NeutralRequest {
  const { path, query } = splitTarget(request.url ?? '/');
  const { headers } = request;
  return {
    method: request.method ?? 'GET',
    path,
    query,
    headers: new NodeHeaders(headers),
    // Node joins them, as if one had a comma.
    twoAuthorizations:
      headers.authorization?.includes(', ') === true && request.headersDistinct.authorization?.length !== 1,
    // A plain Uint8Array, as from `mock.fetch`, because custom routes may see it.
    body: body === undefined ? undefined : new Uint8Array(body.buffer, body.byteOffset, body.byteLength),
    stream,
  };
}
