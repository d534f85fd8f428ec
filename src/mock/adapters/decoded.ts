import type { Duplex } from 'node:stream';
import { pullStream } from '../../base/lib/pull-stream.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
import type { NeutralResponse } from '../wire/http.js';

type Chunks = AsyncIterable<Bytes>;
/** Undoes one coding; undefined if the runtime cannot. */
type Undo = ((source: ByteStream) => ByteStream) | undefined;

/** The formats of DecompressionStream; the last two are in some browsers only. */
const formats: Readonly<Record<string, string>> = { gzip: 'gzip', deflate: 'deflate', br: 'brotli', zstd: 'zstd' };

function inBrowser(name: string): Undo {
  try {
    // The casts: newer formats are not in the types, and the result is bytes.
    const step = new DecompressionStream(formats[name] as CompressionFormat);
    return (source) => source.pipeThrough(step as unknown as ReadableWritablePair<Bytes, Bytes>);
  } catch {
    return undefined;
  }
}

/** Node's zlib also reads gzip of several members, and `deflate` without the header of zlib. */
function inNode(name: string): Undo {
  const zlib = process.getBuiltinModule('node:zlib');
  const { Z_SYNC_FLUSH: flush, BROTLI_OPERATION_FLUSH } = zlib.constants;
  const inflate = ([header = 0]: Bytes) =>
    (header & 0x0f) === 8 ? zlib.createInflate({ flush }) : zlib.createInflateRaw({ flush });
  const steps: Readonly<Record<string, (first: Bytes) => Duplex>> = {
    gzip: () => zlib.createGunzip({ flush }),
    deflate: inflate,
    br: () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH }),
    // Newer than the oldest Node that is supported.
    ...('createZstdDecompress' in zlib && { zstd: () => zlib.createZstdDecompress() }),
  };
  const step = steps[name];
  return step && ((source) => streamOf(through(source as unknown as Chunks, step)));
}

async function* through(source: Chunks, create: (first: Bytes) => Duplex): AsyncGenerator<Bytes> {
  const { pipeline, Readable } = process.getBuiltinModule('node:stream');
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

/** A failure is the error of `fetch` for a body that ends early. */
const streamOf = (chunks: AsyncGenerator<Bytes>): ByteStream =>
  pullStream({
    next: () =>
      // The cast: the end has no value.
      (chunks.next() as Promise<ReadableStreamReadResult<Bytes>>).catch((cause) => {
        throw new TypeError('terminated', { cause });
      }),
    cancel: () => chunks.return(undefined),
  });

/** Undoes the codings of a body. As in `fetch`, a body with an unknown coding stays as it is. */
export function decoded(response: NeutralResponse, encoding: string): NeutralResponse {
  const find = globalThis.process?.getBuiltinModule === undefined ? inBrowser : inNode;
  const names = encoding.toLowerCase().split(',');
  // The last one was applied last.
  const steps = names.reverse().map((name) => find(name.trim().replace(/^x-/, '')));
  // The cast: a body of bytes is a stream of them.
  let body = new Response(response.body).body as ByteStream | null;
  for (const undo of steps) {
    if (undo === undefined || body === null) return response;
    body = undo(body);
  }
  return { ...response, body: body ?? undefined };
}
