import { expected } from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';

/**
 * The body of a response with `responseType: 'stream'`, or any other stream or async iterable of bytes. `undefined` is
 * an empty body.
 */
export type ByteSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | undefined;

/** Iterates over the chunks of a body. Leaving the loop early cancels the body, and so does the signal. */
export async function* chunksOf(source: ByteSource, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  if (source === undefined) return;
  if (!hasMethod(source, 'getReader')) {
    if (!hasMethod(source, Symbol.asyncIterator)) throw expected('body', 'a stream of bytes', source);
    yield* source as AsyncIterable<Uint8Array>;
    return;
  }
  // Not every runtime has async iteration of streams.
  const reader = (source as ReadableStream<Uint8Array>).getReader();
  let ended = false;
  const onAbort = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } catch (error) {
    ended = true;
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    if (!ended) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}
