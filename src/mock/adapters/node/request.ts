import type { IncomingMessage } from 'node:http';
import type { HeaderSource, NeutralRequest } from '../../wire/http.js';

/** Node's header object as the mock reads it: the object is made once a request and nothing is copied. */
export class NodeHeaders implements HeaderSource {
  readonly #headers: IncomingMessage['headers'];

  constructor(headers: IncomingMessage['headers']) {
    this.#headers = headers;
  }

  get(name: string): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : undefined;
  }

  *entries(): Iterable<[string, string]> {
    for (const name of Object.keys(this.#headers)) yield [name, this.get(name) ?? ''];
  }
}

/** Path and query, as they were sent. */
export function splitTarget(target: string): { path: string; query: string } {
  // A proxy's client sends the whole URL; only its path counts.
  const url = target.replace(/^https?:\/\/[^/?]*/i, '');
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  return { path: path === '' ? '/' : path, query: at < 0 ? '' : url.slice(at + 1) };
}

/** A request of `node:http` as the mock takes it. */
export function neutralRequest(request: IncomingMessage, body: Buffer | undefined): NeutralRequest {
  const { path, query } = splitTarget(request.url ?? '/');
  return {
    method: request.method ?? 'GET',
    path,
    query,
    headers: new NodeHeaders(request.headers),
    // A plain view: a custom route may show it, and a Buffer is another thing than what `mock.fetch` gives.
    body: body === undefined ? undefined : new Uint8Array(body.buffer, body.byteOffset, body.byteLength),
  };
}
