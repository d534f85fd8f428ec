import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { zstd } from './zstd.js';

type Chunks = AsyncIterable<Uint8Array>;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
// Like fetch, tolerates a compressed body without its end.
const lenient = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
const brotli = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH };

/** Decodes a coding. */
type Decoder = (source: Chunks) => Chunks;

/** Decodes by a stream of Node, which is created by the first bytes. */
const by =
  (create: (first: Uint8Array) => Transform): Decoder =>
  (source) =>
    through(source, create);

const gunzip = by(() => zlib.createGunzip(lenient));
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  // Some servers omit the zlib header that the standard requires.
  ['deflate', by(([one = 0]) => ((one & 0x0f) === 8 ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient)))],
  ['br', by(() => zlib.createBrotliDecompress(brotli))],
  ...(zstd ? [['zstd', zstd] as const] : []),
  ['identity', (source) => source],
]);

/** The `accept-encoding` of requests. */
export const acceptedEncodings = ['gzip', 'deflate', 'br', 'zstd'].filter((name) => decoders.has(name)).join(', ');

/** The maximum number of codings, as in `fetch`. */
const mostCodings = 5;

/**
 * Creates the decoder for a `content-encoding`; undefined if a coding is unknown. Each step reads and writes about
 * `most` bytes and drops the rest, because a few bytes can decode to gigabytes, and gigabytes to nothing.
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
  return (source) => chain.reduce<Chunks>((chunks, decoder) => upTo(most, decoder(chunks)), upTo(most, source));
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
