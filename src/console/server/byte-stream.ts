import { pullStream } from '../../base/lib/pull-stream.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';

/**
 * Bytes as a stream, one chunk after the other as they are read. Its end and cancelling it abort the signal. Rejects
 * with the error of the first chunk, so that it can still be answered.
 */
export async function toByteStream(read: (signal: AbortSignal) => AsyncIterable<Uint8Array>): Promise<ByteStream> {
  const gone = new AbortController();
  const chunks = read(gone.signal)[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      const result = await chunks.next();
      if (result.done) gone.abort();
      return result;
    } catch (error) {
      gone.abort();
      throw error;
    }
  };
  let first: IteratorResult<Uint8Array> | undefined = await next();
  return pullStream({
    async next() {
      const { done, value } = first ?? (await next());
      first = undefined;
      // The cast: no chunk of a file is shared memory.
      return done ? { done: true, value: undefined } : { done: false, value: value as Bytes };
    },
    cancel() {
      gone.abort();
      return chunks.return?.();
    },
  });
}
