import { pullStream } from '../lib/pull-stream.js';
import { quietly } from '../lib/quietly.js';
import type { ByteStream, Bytes } from '../lib/web-types.js';
import type { Deadline } from './deadline.js';

/**
 * A lazy body whose failures are translated and whose end releases the deadline. It is not locked before the first
 * read, and holds its response: runtimes close the connection of a response that was collected before its body was
 * read.
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
