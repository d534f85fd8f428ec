import type { Bytes } from '../lib/web-types.js';

type Chunk = Bytes;

/** A caller's stream on its way to the server. */
export interface Upload {
  /** What the transport sends. */
  readonly body: ReadableStream<Chunk>;
  /** What the caller's own stream failed with, in a list of one; empty while it did not. */
  readonly failures: readonly unknown[];
  /** Lets go of the caller's stream: what has not been sent is of no use any more. */
  end(): void;
}

/**
 * Watches a stream that is sent. Node goes on reading the upload of a request that is over, without an end where the
 * stream has none; and what it says of a stream that fails does not tell it from a server that does.
 */
export function watchUpload(source: ReadableStream<Chunk>): Upload {
  const reader = source.getReader();
  const failures: unknown[] = [];
  let sending: ReadableStreamDefaultController<Chunk> | undefined;
  const body = new ReadableStream<Chunk>(
    {
      start(controller) {
        sending = controller;
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          failures.push(error);
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    failures,
    end() {
      try {
        sending?.error(new DOMException('the request is over', 'AbortError'));
      } catch {
        // It had ended by itself.
      }
      reader.cancel().catch(() => undefined);
    },
  };
}

/** An async iterable of bytes or texts, a Node `Readable` among them, as a stream. */
export function streamOf(iterable: AsyncIterable<Uint8Array | string>): ReadableStream<Chunk> {
  const iterator = iterable[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Chunk>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else if (typeof value === 'string') controller.enqueue(encoder.encode(value));
        else if (ArrayBuffer.isView(value)) {
          controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice());
        } else throw new TypeError('expected chunks of bytes or text');
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
