import { pullStream } from '../../base/lib/pull-stream.js';
import { quietly } from '../../base/lib/quietly.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
import type { Deadline } from './deadline.js';

/**
 * Wraps a body lazily: translates its failures, and releases the deadline at its end. It is not locked before the first
 * read, and references its response, because runtimes close the connection of a response that was garbage-collected
 * before its body was read. A body above the limit fails with its error.
 */
export function watchStream(
  response: { readonly body: ByteStream | null },
  translate: (error: unknown) => unknown,
  deadline: Pick<Deadline, 'idle' | 'whenEnded' | 'release'>,
  limit?: { readonly maxBytes: number; readonly error: () => unknown },
): ByteStream {
  let left = limit?.maxBytes ?? Number.POSITIVE_INFINITY;
  let reader: ReadableStreamDefaultReader<Bytes> | undefined;
  const cancel = () => (reader ?? response.body)?.cancel();
  return pullStream({
    start(controller) {
      // One callback for the whole stream: a race per chunk would leak a little memory each.
      deadline.whenEnded((failure) => {
        controller.error(failure);
        quietly(cancel);
      });
    },
    async next() {
      try {
        // The cast: callers check that there is a body.
        reader ??= (response.body as ByteStream).getReader();
        deadline.idle?.awaitServer();
        const chunk = await reader.read();
        deadline.idle?.stop();
        if (chunk.done) deadline.release();
        left -= chunk.value?.length ?? 0;
        if (left < 0) {
          quietly(cancel);
          throw limit?.error();
        }
        return chunk;
      } catch (error) {
        deadline.release();
        throw translate(error);
      }
    },
    cancel() {
      deadline.release();
      return cancel();
    },
  });
}
