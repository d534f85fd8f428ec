import type { Deadline } from './deadline.js';

/** A body whose failures are translated and that ends the deadline with itself; what is not read stays on the wire. */
export function watchStream(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  translate: (error: unknown) => unknown,
  deadline: Deadline | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await (deadline === undefined ? reader.read() : deadline.race(reader.read()));
          if (!done) {
            controller.enqueue(value);
            return;
          }
          controller.close();
        } catch (error) {
          controller.error(translate(error));
          void reader.cancel().catch(() => undefined);
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
