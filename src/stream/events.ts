import { createParser } from 'eventsource-parser';
import { ParseError } from '../errors.js';
import { type ByteSource, chunksOf } from './chunks.js';
import { type LineOptions, maxBytesOf } from './lines.js';

/** A server-sent event. */
export interface ServerSentEvent {
  /** The name of the event; undefined if the server sent none, which means `message`. */
  readonly event: string | undefined;
  /** The lines of its data, joined. */
  readonly data: string;
  /** The value for `Last-Event-ID` when the stream is opened again. */
  readonly id: string | undefined;
}

// From each \r the parser scans to the end of its input for the next \n: quadratic time for many lines with \r.
const mostAtOnce = 4_096;

/**
 * Iterates over the server-sent events of a body (`text/event-stream`). Leaving the loop cancels the body; a stream
 * that ends is not opened again.
 * @param body the body of a response with `responseType: 'stream'`
 * @param options see {@link LineOptions}
 * @throws ParseError (code `PARSE`) for an event longer than `maxBytes`; the body's own error.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { events } from 'arango-services/stream';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * const changes = client.route('orders', { accept: 'text/event-stream' }).with({ responseType: 'stream' });
 * for await (const { event, data } of events((await changes.get('changes')).body)) console.log(event, data);
 * ```
 */
export async function* events(
  body: ByteSource,
  options: LineOptions = {},
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const maxBytes = maxBytesOf(options);
  const decoder = new TextDecoder();
  const ready: ServerSentEvent[] = [];
  let count = 0;
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: ({ event, data, id }) => void ready.push({ event, data, id }),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') isTooLong = true;
    },
  });
  for await (const chunk of chunksOf(body)) {
    const text = decoder.decode(chunk, { stream: true });
    for (let at = 0; at < text.length; at += mostAtOnce) {
      parser.feed(text.slice(at, at + mostAtOnce));
      for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
        count += 1;
        yield next;
      }
      if (isTooLong) {
        const problem = `is an event longer than ${maxBytes} bytes`;
        throw new ParseError({}, undefined, '', { line: count + 1, problem });
      }
    }
  }
}
