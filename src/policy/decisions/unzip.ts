import { type ByteSource, chunksOf } from '../../base/lib/chunks.js';
import { pullStream } from '../../base/lib/pull-stream.js';
import type { Bytes } from '../../base/lib/web-types.js';
import { createGunzip, gunzip } from './gunzip.js';

/** The first two bytes of a gzip file. */
const gzipMark = [0x1f, 0x8b];

/** The chunks of a source, decompressed if it is a gzip file. `onDamage` is called where such a file breaks off. */
export async function* unzip(source: ByteSource, onDamage: () => void): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = chunksOf(source);
  try {
    const begin: Uint8Array[] = [];
    for (let length = 0; length < gzipMark.length; ) {
      const next = await chunks.next();
      if (next.done) break;
      begin.push(next.value);
      length += next.value.length;
    }
    const bytes = begin.flatMap((chunk) => [...chunk.subarray(0, gzipMark.length)]);
    const whole = prepend(begin, chunks);
    const isGzip = gzipMark.every((byte, index) => bytes[index] === byte);
    const engine = isGzip ? createGunzip() : undefined;
    if (engine) yield* gunzip(whole, engine, onDamage);
    else if (isGzip) yield* decompress(whole, onDamage);
    else yield* whole;
  } finally {
    await chunks.return();
  }
}

async function* prepend(begin: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>) {
  yield* begin;
  yield* rest;
}

/** Errors of the source are thrown; those of the compressed data end the iteration. */
async function* decompress(chunks: AsyncGenerator<Uint8Array>, onDamage: () => void) {
  let sourceError: { readonly error: unknown } | undefined;
  const body = pullStream({
    async next() {
      try {
        const { done, value } = await chunks.next();
        // The cast: no chunk of a file or a response is shared memory.
        return done ? { done, value: undefined } : { done: false, value: value as Bytes };
      } catch (error) {
        sourceError = { error };
        throw error;
      }
    },
    cancel: () => chunks.return(undefined),
  });
  const decompressed = chunksOf(body.pipeThrough(new DecompressionStream('gzip')));
  for (;;) {
    let next: IteratorResult<Uint8Array>;
    try {
      next = await decompressed.next();
    } catch {
      if (sourceError !== undefined) throw sourceError.error;
      return onDamage();
    }
    if (next.done) return;
    yield next.value;
  }
}
