import { pullStream } from '../../base/lib/pull-stream.js';
import { quietly } from '../../base/lib/quietly.js';
import type { Bytes } from '../../base/lib/web-types.js';
import type { TransportBody } from '../connection/transport.js';

/** A body that can be sent to one address after another, as long as none has read more than its first chunks. */
export interface MovableBody {
  /** True if too much of a stream was taken to send it again. */
  readonly isTaken: boolean;
  /** True if the caller's stream failed, which is not a failure of the address. */
  readonly hasFailed: boolean;
  /** The body for the next address. */
  next(): TransportBody | undefined;
  /** Ends the moves: from now on, cancelling the body cancels the caller's stream. */
  settle(): void;
}

/** Node's `fetch` takes a chunk or two before it connects. */
const mostKept = 4;

/**
 * Wraps a body. A stream is wrapped for each address, because a failed request locks the stream that it was given. All
 * wrappers share one reader of the source. `next` returns a wrapper that repeats the first chunks and goes on with the
 * source; the previous wrapper gets nothing more.
 */
export function movable(body: TransportBody | undefined): MovableBody {
  if (!(body instanceof ReadableStream)) {
    return { isTaken: false, hasFailed: false, next: () => body, settle: () => undefined };
  }
  const reader = body.getReader();
  /** The first chunks; undefined once they are too many to be kept. */
  let begin: Bytes[] | undefined = [];
  /** The chunks for the address that is asked now. */
  let queue: Bytes[] = [];
  let isDone = false;
  let hasFailed = false;
  let isSettled = false;
  /** True if the request of the address that is asked now has cancelled its body. */
  let isCancelled = false;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      queue.push(value);
      if (begin?.push(value) === mostKept) begin = undefined;
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      reading = undefined;
    }
  };
  return {
    get isTaken() {
      return begin === undefined;
    },
    get hasFailed() {
      return hasFailed;
    },
    next() {
      const chunks = [...(begin ?? [])];
      queue = chunks;
      isCancelled = false;
      return pullStream({
        async next() {
          // A read that an earlier address began may be pending: the chunk goes into the newest queue.
          while (chunks.length === 0 && !isDone && chunks === queue) {
            reading ??= read();
            await reading;
          }
          // Another address has the body now. A normal end would make the incomplete body look complete.
          if (chunks !== queue) throw new Error('the request has moved');
          const value = chunks.shift();
          return value === undefined ? { done: true, value } : { done: false, value };
        },
        // A refused request cancels its body, but until `settle` the next address may need the source.
        cancel(reason) {
          if (chunks !== queue) return;
          isCancelled = true;
          if (isSettled) return reader.cancel(reason);
        },
      });
    },
    settle() {
      isSettled = true;
      // A response that came early may have cancelled the body before this call.
      if (isCancelled) quietly(() => reader.cancel());
    },
  };
}
