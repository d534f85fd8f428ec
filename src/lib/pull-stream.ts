import type { ByteStream, Bytes } from './web-types.js';

/** Where the chunks of a stream come from. */
interface ChunkSource {
  readonly next: () => Promise<ReadableStreamReadResult<Bytes>>;
  readonly cancel: (reason: unknown) => unknown;
  readonly start?: (controller: ReadableStreamDefaultController<Bytes>) => void;
}

/** A stream that asks for a chunk when somebody wants to read one, and fails with what `next` fails with. */
export const pullStream = ({ next, cancel, start }: ChunkSource): ByteStream =>
  new ReadableStream<Bytes>(
    {
      start: (controller) => start?.(controller),
      async pull(controller) {
        const { done, value } = await next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async (reason) => {
        await cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
