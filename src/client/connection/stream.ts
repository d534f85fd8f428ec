import { pullStream } from '../../base/lib/pull-stream.js';
import { quietly } from '../../base/lib/quietly.js';
import { hasMethod } from '../../base/lib/values.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
import type { Deadline } from './deadline.js';
import { withBytes } from './fetch-transport.js';
import type { TransportResponse } from './transport.js';

/**
 * Wraps a body lazily: translates its failures, and releases the deadline at its end. It is not locked before the first
 * read, and references its response, because runtimes close the connection of a response that was garbage-collected
 * before its body was read. A body above the limit fails with its error.
 */
export function watchStream(
  response: { readonly body: ByteStream | null },
  translate: (error: unknown) => unknown,
  deadline: Pick<Deadline, 'idle' | 'whenEnded' | 'release'>,
  limit?: { readonly maxBytes: number | undefined; readonly error: () => unknown },
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

/** Returns a copy of a response whose body counts the time of each read as idle time of the server. */
export function watchIdle(response: TransportResponse, deadline: Deadline): TransportResponse {
  // A body of node-fetch or React Native is read whole: one wait, from the headers on.
  if (!response.body?.getReader) {
    deadline.idle?.awaitServer();
    return response;
  }
  // The reader of the copy releases the deadline and translates its failures.
  const watched = watchStream(response, (error) => error, {
    idle: deadline.idle,
    whenEnded: (fail) => deadline.whenEnded(fail),
    release() {},
  });
  const { status, statusText, headers } = response;
  // The cast: headers of another transport are iterable, which `Response` accepts.
  const copy = new Response(watched, { headers } as ResponseInit);
  // The constructor rejects statuses and texts that servers send all the same.
  const fields = { status: { value: status }, statusText: { value: statusText } };
  return withBytes(Object.defineProperties(copy, fields));
}

/** A caller's stream on its way to the server. */
export interface Upload {
  /** The stream that the transport sends. */
  readonly body: ByteStream;
  /** The error of the caller's own stream in a list; empty if it has not failed. */
  readonly failures: readonly unknown[];
  /** Releases the caller's stream, whose rest is not needed. */
  end(): void;
}

/**
 * Watches an uploaded stream. Node continues to read the upload of an ended request, for ever if the stream is endless;
 * and its errors do not distinguish a failed stream from a failed server.
 */
export function watchUpload(source: ByteStream, deadline?: Deadline): Upload {
  const idle = deadline?.idle;
  const reader = source.getReader();
  const failures: unknown[] = [];
  reader.closed.catch((error) => failures.push(error));
  let sending: ReadableStreamDefaultController<Bytes> | undefined;
  const body = pullStream({
    start(controller) {
      sending = controller;
    },
    async next() {
      idle?.awaitSource();
      try {
        return await reader.read();
      } finally {
        idle?.awaitUptake();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const end = (): void => {
    // The stream may already have ended.
    quietly(() => sending?.error(new Error()));
    quietly(() => reader.cancel());
  };
  deadline?.whenEnded(end);
  return { body, failures, end };
}

/** The part of Node's `Readable` in use, besides its iterator. */
type Destroyable = { on?(event: 'error', listener: (error: unknown) => void): unknown; destroy?(): unknown };

/** Converts an async iterable of bytes or strings, such as a Node `Readable`, to a stream. */
export function streamOf(iterable: AsyncIterable<Uint8Array | string> & Destroyable): ByteStream {
  const iterator = iterable[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const toBytes = (chunk: Uint8Array | string): Bytes => {
    if (typeof chunk === 'string') return encoder.encode(chunk);
    if (ArrayBuffer.isView(chunk)) return copyBytes(chunk);
    throw new TypeError('expected chunks of bytes or text');
  };
  return pullStream({
    // Node ends the process if a Readable fails without a listener: before the first read, and after the last.
    start: (controller) => iterable.on?.('error', (error) => controller.error(error)),
    async next() {
      const { done = false, value } = await iterator.next();
      return done ? { done, value: undefined } : { done, value: toBytes(value) };
    },
    async cancel() {
      // An iterator that was never read would leave it open.
      iterable.destroy?.();
      await iterator.return?.();
    },
  });
}

/** Releases an unsent body: cancels a stream, destroys a Node `Readable`. Others are left alone. */
export const discard = (body: unknown): void => {
  // The casts: a body of another kind has neither method, and `quietly` ignores the TypeError.
  quietly(() =>
    (hasMethod(body, 'getReader') ? (body as ByteStream) : streamOf(body as AsyncIterable<string>)).cancel(),
  );
};

/** Copies the bytes of a view of any kind and realm. */
export const copyBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Bytes =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();
