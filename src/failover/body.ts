import type { TransportBody } from '../connection/transport.js';
import { pullStream } from '../lib/pull-stream.js';
import type { Bytes } from '../lib/web-types.js';

/** A body that can be sent to one address after another, as long as none took more than its begin. */
export interface MovableBody {
  /** True if too much of a stream was taken to send it again. */
  readonly isTaken: boolean;
  /** The body for the next address. */
  next(): TransportBody | undefined;
}

/** Node's `fetch` takes a chunk or two before it connects. */
const mostKept = 4;

/** Wraps a body. A stream is wrapped for each address, because a failed request locks the stream that it was given. */
export function movable(body: TransportBody | undefined): MovableBody {
  if (!(body instanceof ReadableStream)) return { isTaken: false, next: () => body };
  const reader = body.getReader();
  /** The first chunks; undefined once they are too many to be kept. */
  let begin: Bytes[] | undefined = [];
  const read = async (): Promise<ReadableStreamReadResult<Bytes>> => {
    const result = await reader.read();
    if (!result.done && begin?.push(result.value) === mostKept) begin = undefined;
    return result;
  };
  return {
    get isTaken() {
      return begin === undefined;
    },
    next() {
      const kept = [...(begin ?? [])];
      return pullStream({
        async next() {
          const value = kept.shift();
          return value === undefined ? await read() : { done: false, value };
        },
        // A refused request cancels its body; the next address still needs it.
        cancel: (reason) => (begin === undefined ? reader.cancel(reason) : undefined),
      });
    },
  };
}
