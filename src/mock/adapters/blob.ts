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

/** Reads a Blob. Older versions of jsdom lack `arrayBuffer` but have a FileReader. */
export async function readBlob(blob: BlobLike): Promise<Bytes> {
  if (blob.arrayBuffer !== undefined) return new Uint8Array(await blob.arrayBuffer());
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.onload = resolve;
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob as Blob); // A Blob of the FileReader's own realm.
  });
  return new Uint8Array(reader.result as ArrayBuffer); // readAsArrayBuffer sets an ArrayBuffer.
}
