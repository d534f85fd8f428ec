import { quietly } from './quietly.js';
import { expected } from './readers.js';
import { hasMethod } from './values.js';
import { race } from './wait.js';

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
    const iterable = source as AsyncIterable<Uint8Array>;
    yield* signal ? untilAborted(iterable, signal) : iterable;
    return;
  }
  // Not every runtime has async iteration of streams.
  const reader = (source as ReadableStream<Uint8Array>).getReader();
  let ended = false;
  const cancel = () => quietly(() => reader.cancel());
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) void cancel();
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
    signal?.removeEventListener('abort', cancel);
    if (!ended) await cancel();
    reader.releaseLock();
  }
}

/** Iterates until the signal aborts, even while the source is silent. */
async function* untilAborted(source: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const iterator = source[Symbol.asyncIterator]();
  let ended = false;
  try {
    while (!signal.aborted) {
      const { done = false, value } = await race(iterator.next(), { signal });
      ended = done;
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (!signal.aborted) {
      ended = true;
      throw error;
    }
  } finally {
    // Not awaited: `return` of a generator waits for its pending `next`.
    if (!ended) quietly(() => iterator.return?.());
  }
}
