import { pullStream } from '../lib/pull-stream.js';
import type { ByteStream, Bytes } from '../lib/web-types.js';

/** A caller's stream on its way to the server. */
export interface Upload {
  /** What the transport sends. */
  readonly body: ByteStream;
  /** What the caller's own stream failed with, in a list of one; empty while it did not. */
  readonly failures: readonly unknown[];
  /** Lets go of the caller's stream: what has not been sent is of no use any more. */
  end(): void;
}

/**
 * Watches a stream that is sent. Node goes on reading the upload of a request that is over, without an end where the
 * stream has none; and what it says of a stream that fails does not tell it from a server that does.
 */
export function watchUpload(source: ByteStream): Upload {
  const reader = source.getReader();
  const failures: unknown[] = [];
  let sending: ReadableStreamDefaultController<Bytes> | undefined;
  const body = pullStream({
    start(controller) {
      sending = controller;
    },
    async next() {
      try {
        return await reader.read();
      } catch (error) {
        failures.push(error);
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
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
export function streamOf(iterable: AsyncIterable<Uint8Array | string>): ByteStream {
  const iterator = iterable[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const toBytes = (chunk: Uint8Array | string): Bytes => {
    if (typeof chunk === 'string') return encoder.encode(chunk);
    if (ArrayBuffer.isView(chunk)) return copyBytes(chunk);
    throw new TypeError('expected chunks of bytes or text');
  };
  return pullStream({
    async next() {
      const { done = false, value } = await iterator.next();
      return done ? { done, value: undefined } : { done, value: toBytes(value) };
    },
    cancel: () => iterator.return?.(),
  });
}

/** The bytes of a view, whatever its kind and realm, in a buffer of their own. */
export const copyBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Bytes =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();
