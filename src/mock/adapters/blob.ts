import type { Bytes } from '../../base/lib/web-types.js';

/** The part of a Blob in use. */
export interface BlobLike {
  readonly size: number;
  readonly type: string;
  /** The name of a file. */
  readonly name?: string;
  slice(start: number, end: number): BlobLike;
  arrayBuffer?(): Promise<ArrayBuffer>;
}

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
