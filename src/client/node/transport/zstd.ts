import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

type Chunks = AsyncIterable<Uint8Array>;

const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: typeof zlib.createZstdDecompress };

/** Decodes zstd; undefined before Node 22.15. */
export const zstd = createZstdDecompress && ((source: Chunks): Chunks => decodeFrames(source, createZstdDecompress));

/** Decodes frame after frame. A decoder of Node ends after one frame, so the bytes left go to a new decoder. */
async function* decodeFrames(source: Chunks, create: () => Transform & { bytesWritten: number }) {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  try {
    for (;;) {
      while (rest.length === 0) {
        const { done, value } = await chunks.next();
        if (done) return;
        rest = value;
      }
      const decoder = create();
      let bytesFed = 0;
      const feed = async (): Promise<void> => {
        for (;;) {
          await new Promise<unknown>((taken) => decoder.write(rest, taken));
          const taken = decoder.bytesWritten - bytesFed;
          bytesFed = decoder.bytesWritten;
          if (taken < rest.length) {
            rest = rest.subarray(taken);
            return;
          }
          const { done, value } = await chunks.next();
          rest = done ? new Uint8Array() : value;
          if (done) return void decoder.end();
        }
      };
      const fed = feed().catch((error) => decoder.destroy(error));
      yield* decoder as AsyncIterable<Uint8Array>;
      await fed;
    }
  } finally {
    chunks.return?.().catch(() => undefined);
  }
}
