import type { ByteStream } from '../lib/web-types.js';
import type { PdpRequest } from '../pdp/endpoints.js';

/** Reads a body; undefined if it is longer than `most` bytes, of which no more is held. */
async function readUpTo(body: ByteStream | null, most: number): Promise<Uint8Array | undefined> {
  // One buffer that doubles: a sender of single bytes must not make this process hold a million chunks.
  let bytes = new Uint8Array(1_024);
  let size = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    const start = size;
    size += next.value.byteLength;
    if (size > most) {
      await reader?.cancel();
      return undefined;
    }
    if (size > bytes.byteLength) {
      const larger = new Uint8Array(Math.max(size, 2 * bytes.byteLength));
      larger.set(bytes.subarray(0, start));
      bytes = larger;
    }
    bytes.set(next.value, start);
  }
  return bytes.subarray(0, size);
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
