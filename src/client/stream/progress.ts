import { pullStream } from '../../base/lib/pull-stream.js';
import { quietly } from '../../base/lib/quietly.js';
import { expected } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import type { ByteStream } from '../../base/lib/web-types.js';
import { streamOf } from '../connection/stream.js';

/** The progress of a stream. */
export interface Progress {
  /** The bytes passed so far. */
  readonly bytes: number;
}

/** A body that a route sends unchanged: a stream, an async iterable (Node's `Readable`), a Blob, bytes or text. */
export type ProgressBody =
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | string;

/** Returns a body for each attempt. */
export type ProgressSource = () => ProgressBody | Promise<ProgressBody>;

/**
 * Counts the bytes of a stream as they pass: of an upload, or of a response with `responseType: 'stream'`.
 * @param body the stream, which is locked from now on, or any other body that a route sends unchanged. For a function
 * that returns one, the result is a function, too: the body can be resent, and each one is counted from 0.
 * @param callback called after each chunk. If it throws or rejects, the stream fails.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for any other body.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { progress } from 'arango-services/stream';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * const file = new Blob(['a large file']);
 * await client.route('files').put('report', progress(file, ({ bytes }) => console.log(bytes / file.size)));
 * ```
 */
export function progress(body: ProgressSource, callback: (progress: Progress) => void): () => Promise<ByteStream>;
export function progress(body: ProgressBody, callback: (progress: Progress) => void): ByteStream;
export function progress(
  body: ProgressBody | ProgressSource,
  callback: (progress: Progress) => void,
): ByteStream | (() => Promise<ByteStream>) {
  if (typeof body === 'function') return async () => progress(await body(), callback);
  let bytes = 0;
  const reader = streamFrom(body).getReader();
  return pullStream({
    // A source may fail before it is read.
    start: (controller) => void reader.closed.catch((error) => controller.error(error)),
    async next() {
      const chunk = await reader.read();
      if (!chunk.done) {
        bytes += chunk.value.byteLength;
        try {
          // A rejection fails the stream, too.
          await callback({ bytes });
        } catch (error) {
          quietly(() => reader.cancel(error));
          throw error;
        }
      }
      return chunk;
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Converts any body to a stream. The casts: bodies are recognized by their methods, in any realm. */
function streamFrom(body: ProgressBody): ByteStream {
  if (hasMethod(body, 'pipeThrough')) return body as ByteStream;
  if (hasMethod(body, Symbol.asyncIterator)) return streamOf(body as AsyncIterable<Uint8Array | string>);
  if (hasMethod(body, 'arrayBuffer')) return (body as Blob).stream() as ByteStream;
  if (typeof body === 'string' || ArrayBuffer.isView(body) || body instanceof ArrayBuffer) {
    return new Blob([body as BlobPart]).stream() as ByteStream;
  }
  throw expected('body', 'a stream, an async iterable, a Blob, bytes or text, or a function that gives one', body);
}
