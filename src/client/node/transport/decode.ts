import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { zstd } from './zstd.js';

type Chunks = AsyncIterable<Uint8Array>;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;

/** Decodes a coding. A body that is read only in part may end before its coding does. */
type Decoder = (source: Chunks, inPart: boolean) => Chunks;

const byZlib =
  (create: (options: zlib.ZlibOptions, first: Uint8Array) => Transform): Decoder =>
  (source, inPart) => {
    const options = { flush: Z_SYNC_FLUSH, ...(inPart && { finishFlush: Z_SYNC_FLUSH }) };
    return through(source, (first) => create(options, first));
  };

const brotli: Decoder = (source, inPart) => {
  const options = { flush: BROTLI_OPERATION_FLUSH, ...(inPart && { finishFlush: BROTLI_OPERATION_FLUSH }) };
  return through(source, () => zlib.createBrotliDecompress(options));
};

const gunzip = byZlib((options) => zlib.createGunzip(options));
// Some servers omit the zlib header that the standard requires.
const inflate = byZlib((options, [header = 0]) =>
  (header & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options),
);

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotli],
  ...(zstd ? [['zstd', zstd] as const] : []),
  ['identity', (source) => source],
]);

/** The `accept-encoding` of requests. */
export const acceptedEncodings = ['gzip', 'deflate', 'br', 'zstd'].filter((name) => decoders.has(name)).join(', ');

/** The maximum number of codings, as in `fetch`. */
const mostCodings = 5;

/**
 * Creates the decoder for a `content-encoding`; undefined if a coding is unknown. Each step reads and writes about
 * `most` bytes and drops the rest, because a few bytes can decode to gigabytes, and gigabytes to nothing. Without
 * `most`, a body that ends before its coding does is an error: a part would pass as the whole.
 * @throws Error for more than five codings.
 */
export function decoderFor(
  contentEncoding: string,
  most = Number.POSITIVE_INFINITY,
): ((source: Chunks) => Chunks) | undefined {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  if (names.length > mostCodings) throw new Error(`the response has more than ${mostCodings} content codings`);
  const chain = names.reverse().map((name) => decoders.get(name));
  if (!chain.every((decoder) => decoder !== undefined)) return undefined;
  const inPart = most !== Number.POSITIVE_INFINITY;
  return (source) => chain.reduce<Chunks>((chunks, decoder) => upTo(most, decoder(chunks, inPart)), upTo(most, source));
}

function upTo(most: number, source: Chunks): Chunks {
  return most === Number.POSITIVE_INFINITY ? source : cutAfter(most, source);
}

async function* cutAfter(most: number, source: Chunks): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const chunk of source) {
    yield chunk;
    left -= chunk.length;
    if (left <= 0) return;
  }
}

async function* through(source: Chunks, create: (first: Uint8Array) => Transform): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  // An empty body is not valid in any coding.
  if (first.done) return;
  async function* all() {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  // The loop that reads the output gets the failures.
  yield* pipeline(Readable.from(all(), { objectMode: false }), create(first.value), () => undefined);
}
