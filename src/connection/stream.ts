import { pullStream } from '../lib/pull-stream.js';
import { quietly } from '../lib/quietly.js';
import type { ByteStream, Bytes } from '../lib/web-types.js';
import type { Deadline } from './deadline.js';

/**
 * A body whose failures are translated and that ends the deadline with itself; what is not read stays on the wire.
 * It is not locked before somebody reads, and keeps its response: a platform gives the connection of a response that
 * nobody holds any more, and whose body nobody has begun to read, back.
 */
export function watchStream(
  response: { readonly body: ByteStream | null },
  translate: (error: unknown) => unknown,
  deadline: Deadline | undefined,
): ByteStream {
  let reader: ReadableStreamDefaultReader<Bytes> | undefined;
  const cancel = () => (reader ?? response.body)?.cancel();
  return pullStream({
    start(controller) {
      // One listener for the whole stream: a race a chunk would keep something of each.
      deadline?.signal.addEventListener('abort', () => {
        controller.error(deadline.signal.reason);
        quietly(cancel);
      });
    },
    async next() {
      try {
        reader ??= response.body?.getReader();
        const chunk = (await reader?.read()) ?? { done: true, value: undefined };
        if (chunk.done) deadline?.release();
        return chunk;
      } catch (error) {
        deadline?.release();
        throw translate(error);
      }
    },
    cancel() {
      deadline?.release();
      return cancel();
    },
  });
}
