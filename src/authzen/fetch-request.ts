import type { ByteStream } from '../lib/web-types.js';
import type { PdpRequest } from '../pdp/endpoints.js';

/** Joins chunks. */
function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

/** Reads a body; undefined if it is longer than `most` bytes, of which no more is held. */
async function readUpTo(body: ByteStream | null, most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    size += next.value.byteLength;
    if (size > most) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(next.value);
  }
  return join(chunks, size);
}

/** Adapts a `Request`. */
export function fetchRequest(request: Request, isAuthentic: () => unknown): PdpRequest {
  const { method, headers } = request;
  return {
    method,
    path: new URL(request.url).pathname,
    header: (name) => headers.get(name),
    isAuthentic,
    // The cast: lib dom and Node declare different classes.
    readBody: (most) => readUpTo(request.body as ByteStream | null, most),
  };
}
