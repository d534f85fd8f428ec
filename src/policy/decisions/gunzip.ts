/** The number of bytes to decompress at once: the output may have a thousand times as many. */
const piece = 8_192;

/** Creates zlib's own decompressor, if the runtime has one: Node, Deno and Bun. */
export const createGunzip = () =>
  globalThis.process?.getBuiltinModule?.('node:zlib')?.createGunzip({ chunkSize: 65_536 });

/**
 * Decompresses a gzip file, also one of several members, as rotated logs are joined: unlike `DecompressionStream`,
 * which ends at the second member, zlib reads all of them. `onDamage` is called where the file breaks off or holds
 * something else; the errors of the chunks are thrown.
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  engine: NonNullable<ReturnType<typeof createGunzip>>,
  onDamage: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let output: Uint8Array[] = [];
  let isDamaged = false;
  /** True once no more output comes: zlib may end before `end` is called, at padding behind the last member. */
  let isOver = false;
  /** Resolves the promise of the write, or of the end, that waits for zlib. */
  let wake = () => {};
  engine.on('data', (chunk: Uint8Array) => output.push(chunk));
  engine.on('end', () => {
    isOver = true;
    wake();
  });
  engine.on('error', () => {
    isDamaged = true;
    isOver = true;
    // The callback of a write that fails is not called.
    wake();
  });
  const take = (): Uint8Array[] => {
    const taken = output;
    output = [];
    return taken;
  };
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      engine.write(bytes, () => resolve());
    });
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      engine.end();
    });
  try {
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length && !isOver; start += piece) {
        await write(chunk.subarray(start, start + piece));
        yield* take();
      }
      if (isOver) break;
    }
    if (!isOver) await end();
    yield* take();
    if (isDamaged) onDamage();
  } finally {
    engine.destroy();
  }
}
