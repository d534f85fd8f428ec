import { pullStream } from '../../base/lib/pull-stream.js';
import { hasMethod, isObject } from '../../base/lib/values.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
import type { Exchange } from '../wire/mock-exchange.js';

/** A server-sent event of a handler. */
export interface MockEvent {
  /** The data: text, or a value that is sent as JSON. */
  readonly data: unknown;
  /** The name of the event. Default none, which means `message`. */
  readonly event?: string | undefined;
  /** The id, which a client sends back as `Last-Event-ID`. */
  readonly id?: string | undefined;
  /** The milliseconds that a client should wait before it connects again. */
  readonly retry?: number | undefined;
}

/** The content types of JSON lines. */
const jsonLines = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json-seq)\b/i;
const eventStream = /^text\/event-stream\b/i;

// Created here and not at import, where an engine without TextEncoder would fail before `createMock` names it.
const encode = (text: string): Bytes => new TextEncoder().encode(text);

/** Checks the fields that stand on one line each: what a client could not read as it was meant is an error. */
function checkEvent({ event, id, retry }: MockEvent): void {
  for (const [name, value] of Object.entries({ event, id })) {
    if (value !== undefined && (typeof value !== 'string' || /[\r\n\0]/.test(value))) {
      throw new TypeError(`${name} of an event: expected text without line breaks and NUL`);
    }
  }
  if (retry !== undefined && !(Number.isSafeInteger(retry) && retry >= 0)) {
    throw new TypeError('retry of an event: expected a whole number of milliseconds, 0 or more');
  }
}

/** Formats an event; its data may have several lines. */
function formatEvent(mockEvent: MockEvent): string {
  checkEvent(mockEvent);
  const { event, id, retry, data } = mockEvent;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const fields = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...String(text)
      .split(/\r\n|\r|\n/)
      .map((line) => `data: ${line}`),
  ];
  return `${fields.join('\n')}\n\n`;
}

/** Encodes what a handler's stream yields: bytes, text, and by the content type events or values of JSON lines. */
function encodeChunk(chunk: unknown, contentType: string): Bytes {
  if (typeof chunk === 'string' && !jsonLines.test(contentType)) return encode(chunk);
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice();
  if (jsonLines.test(contentType)) return encode(`${JSON.stringify(chunk)}\n`);
  // The cast: `data` is all that an event needs.
  if (eventStream.test(contentType) && isObject(chunk)) return encode(formatEvent(chunk as unknown as MockEvent));
  throw new TypeError('expected bytes or text; objects need content type text/event-stream or application/x-ndjson');
}

/** Converts a stream, an async iterable or a generator of a handler to a stream of bytes. It is read on demand. */
export function streamBody(body: AsyncIterable<unknown> | ReadableStream, contentType: string): ByteStream {
  const iterator = hasMethod(body, 'getReader')
    ? readerOf(body as ReadableStream)
    : (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  return pullStream({
    async next() {
      const { done = false, value } = await iterator.next();
      return done ? { done, value: undefined } : { done, value: encodeChunk(value, contentType) };
    },
    cancel: (reason) => iterator.return?.(reason),
  });
}

/** A stream as an iterator: not every runtime has async iteration of streams. */
function readerOf(body: ReadableStream): AsyncIterator<unknown> {
  const reader = body.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    async return(reason) {
      await reader.cancel(reason);
      return { done: true, value: undefined };
    },
  };
}

/** The body of a request as a stream, also if its adapter had it whole. */
export function bodyStream({ stream, request: { body } }: Exchange): ByteStream | undefined {
  // The cast: `mock.fetch` and msw pass on the caller's own stream.
  if (hasMethod(stream, 'getReader')) return stream as unknown as ByteStream;
  if (stream === undefined && body === undefined) return undefined;
  const whole = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const chunks = (stream ?? streamOfOne(whole as Bytes))[Symbol.asyncIterator]();
  return pullStream({
    // The casts: Node's chunks are bytes, and the end has no value.
    next: () => chunks.next() as Promise<ReadableStreamReadResult<Bytes>>,
    cancel: () => chunks.return?.(),
  });
}

async function* streamOfOne(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
