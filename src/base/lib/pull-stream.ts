import type { ByteStream, Bytes } from './web-types.js';

interface ChunkSource {
  readonly next: () => Promise<ReadableStreamReadResult<Bytes>>;
  readonly cancel: (reason: unknown) => unknown;
  readonly start?: (controller: ReadableStreamDefaultController<Bytes>) => void;
}

/** A lazy stream: it requests a chunk when one is read, and fails with the error of `next`. */
export const pullStream = ({ next, cancel, start }: ChunkSource): ByteStream =>
  new ReadableStream<Bytes>(
    {
      start,
      cancel,
      async pull(controller) {
        const { done, value } = await next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // The cast: a stream accepts an undefined `start`.
    } as UnderlyingDefaultSource<Bytes>,
    { highWaterMark: 0 },
  );
