import type { Bytes } from '../lib/web-types.js';

/**
 * A copy of bytes in a `Uint8Array` of this realm. jsdom has classes of its own, so that `instanceof` fails on the
 * bytes that Node's `TextEncoder` makes there; jose asks with `instanceof`.
 */
export function ownBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Bytes {
  return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
}

/** A text in UTF-8, as bytes of this realm. */
export function encodeText(text: string): Bytes {
  return ownBytes(new TextEncoder().encode(text));
}
