import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** The first two bytes of a gzip file. */
const gzipMark = [0x1f, 0x8b];
/** The bytes that are decompressed at once: they may become a thousand times as many. */
const piece = 8_192;

/**
 * Decompresses chunks if they are a gzip file, also one of several members, as rotated logs are joined. Unlike
 * `DecompressionStream`, which ends at the second member, zlib reads all of them. `onDamage` is called where the file
 * breaks off or holds something else; the errors of the chunks are thrown.
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  onDamage: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = chunks[Symbol.asyncIterator]();
  let begin = Buffer.alloc(0);
  while (begin.length < gzipMark.length) {
    const { done, value } = await source.next();
    if (done) break;
    begin = Buffer.concat([begin, value]);
  }
  const rest: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => source };
  if (gzipMark.every((byte, i) => begin[i] === byte)) yield* decompress(begin, rest, onDamage);
  else {
    if (begin.length > 0) yield begin;
    yield* rest;
  }
}

async function* decompress(begin: Uint8Array, rest: AsyncIterable<Uint8Array>, onDamage: () => void) {
  const engine = createGunzip({ chunkSize: 65_536 });
  let output: Buffer[] = [];
  let isDamaged = false;
  let wake = () => {};
  engine.on('data', (chunk: Buffer) => output.push(chunk));
  engine.on('error', () => {
    isDamaged = true;
    // The callback of a write that fails is not called.
    wake();
  });
  const take = (): Buffer[] => {
    const taken = output;
    output = [];
    return taken;
  };
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      engine.write(bytes, () => resolve());
    });
  try {
    for await (const chunk of prepend(begin, rest)) {
      for (let start = 0; start < chunk.length && !isDamaged; start += piece) {
        await write(chunk.subarray(start, start + piece));
        yield* take();
      }
      if (isDamaged) break;
    }
    if (!isDamaged) await finished(engine.end()).catch(() => {});
    yield* take();
    if (isDamaged) onDamage();
  } finally {
    engine.destroy();
  }
}

async function* prepend(begin: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  yield begin;
  yield* rest;
}
