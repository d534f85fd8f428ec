import type { Bytes } from '../lib/web-types.js';

/** Copies bytes to a `Uint8Array` of this realm: jose checks `instanceof`, and jsdom has its own classes. */
export function ownBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Bytes {
  return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
}

/** Encodes a string as UTF-8 in bytes of this realm. */
export const encodeText = (text: string): Bytes => ownBytes(new TextEncoder().encode(text));

/** Formats bytes as hexadecimal digits. */
export const toHex = (bytes: ArrayBuffer | Uint8Array): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
