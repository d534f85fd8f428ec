import { pullStream } from '../lib/pull-stream.js';
import { quietly } from '../lib/quietly.js';
import { hasMethod } from '../lib/values.js';
import type { ByteStream, Bytes } from '../lib/web-types.js';

/** A caller's stream on its way to the server. */
export interface Upload {
  /** The stream that the transport sends. */
  readonly body: ByteStream;
  /** The error of the caller's own stream, as a list of one; empty if it has not failed. */
  readonly failures: readonly unknown[];
  /** Releases the caller's stream; the rest of it is not needed any more. */
  end(): void;
}

/**
 * Watches a stream that is sent. Node goes on reading the upload of a request that is over, without an end where the
 * stream has none; and what it says of a stream that fails does not tell it from a server that does.
 */
export function watchUpload(source: ByteStream, signal: AbortSignal | undefined): Upload {
  const reader = source.getReader();
  const failures: unknown[] = [];
  reader.closed.catch((error) => failures.push(error));
  let sending: ReadableStreamDefaultController<Bytes> | undefined;
  const body = pullStream({
    start(controller) {
      sending = controller;
    },
    next: () => reader.read(),
    cancel: (reason) => reader.cancel(reason),
  });
  const end = (): void => {
    signal?.removeEventListener('abort', end);
    // It may have ended by itself.
    quietly(() => sending?.error(new Error()));
    quietly(() => reader.cancel());
  };
  signal?.addEventListener('abort', end);
  return { body, failures, end };
}

/** The part of Node's `Readable` that is used beside its iterator. */
interface Destroyable {
  on?(event: 'error', listener: (error: unknown) => void): unknown;
  destroy?(): unknown;
}

/** An async iterable of bytes or texts, a Node `Readable` among them, as a stream. */
export function streamOf(iterable: AsyncIterable<Uint8Array | string> & Destroyable): ByteStream {
  const iterator = iterable[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const toBytes = (chunk: Uint8Array | string): Bytes => {
    if (typeof chunk === 'string') return encoder.encode(chunk);
    if (ArrayBuffer.isView(chunk)) return copyBytes(chunk);
    throw new TypeError('expected chunks of bytes or text');
  };
  return pullStream({
    // Node ends the process for a Readable that fails while nothing listens: before the first read, and after the last.
    start: (controller) => iterable.on?.('error', (error) => controller.error(error)),
    async next() {
      const { done = false, value } = await iterator.next();
      return done ? { done, value: undefined } : { done, value: toBytes(value) };
    },
    async cancel() {
      // An iterator that was never asked for a chunk would leave it open.
      iterable.destroy?.();
      await iterator.return?.();
    },
  });
}

/** Lets go of a body that is not sent: a stream is cancelled, a Node `Readable` destroyed. Others are left alone. */
export const discard = (body: unknown): void => {
  // The casts: any other value throws, and that is ignored.
  quietly(() =>
    (hasMethod(body, 'getReader') ? (body as ByteStream) : streamOf(body as AsyncIterable<string>)).cancel(),
  );
};

/** The bytes of a view, whatever its kind and realm, in a buffer of their own. */
export const copyBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Bytes =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();
