import type { ByteStream, Bytes } from '../lib/web-types.js';
import type { Deadline } from './deadline.js';
import { quietly } from './failure.js';

/** A body whose failures are translated and that ends the deadline with itself; what is not read stays on the wire. */
export function watchStream(
  source: ByteStream,
  translate: (error: unknown) => unknown,
  deadline: Deadline | undefined,
): ByteStream {
  const reader = source.getReader();
  return new ReadableStream<Bytes>(
    {
      start(controller) {
        // One listener for the whole stream: a race a chunk would keep something of each.
        deadline?.signal.addEventListener('abort', () => {
          controller.error(deadline.signal.reason);
          quietly(() => reader.cancel());
        });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            controller.enqueue(value);
            return;
          }
          controller.close();
        } catch (error) {
          controller.error(translate(error));
        }
        deadline?.release();
      },
      cancel() {
        deadline?.release();
        return reader.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
