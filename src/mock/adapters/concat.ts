import type { Bytes } from '../../base/lib/web-types.js';

/** Joins chunks of bytes. */
export function concat(chunks: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}
