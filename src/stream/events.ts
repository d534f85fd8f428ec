import { createParser } from 'eventsource-parser';
import { signalOption } from '../connection/deadline.js';
import { ParseError } from '../errors.js';
import { accepting, optional, optionsOf, readFields, wholeNumber } from '../lib/readers.js';
import { longestTimerMs } from '../lib/wait.js';
import { type ByteSource, chunksOf } from './chunks.js';
import { defaultBytes, type LineOptions, lineReaders } from './lines.js';
import { isBroken, type Reconnection, type Resume, reopen, throwIfAborted } from './resume.js';

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

/** Options of {@link events}. */
export interface EventOptions extends LineOptions {
  /**
   * Opens the stream again when it ends or breaks. An undefined body (204) ends the iteration. So does an error that
   * another attempt would not change, like 401, 403 or 404, with that error; after any other failure there is another
   * attempt.
   */
  readonly resume?: Resume | undefined;
  /** Ends the iteration with `AbortError`, and cancels the body. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds before the stream is opened again, unless the server sets them (`retry:`). Doubled after each
   * connection without an event. Default 1 000.
   */
  readonly retryMs?: number | undefined;
  /** The cap of the doubled wait in milliseconds; a longer one set by the server still counts. Default 30 000. */
  readonly longestRetryMs?: number | undefined;
}

const milliseconds = optional(wholeNumber('milliseconds', 0, longestTimerMs));
const readOptions = optionsOf({
  ...lineReaders,
  resume: optional(accepting<Resume>('a function', (value) => typeof value === 'function')),
  signal: optional(signalOption),
  retryMs: milliseconds,
  longestRetryMs: milliseconds,
});

/**
 * Iterates over the server-sent events of a body (`text/event-stream`). Leaving the loop cancels the body. A stream
 * that ends is opened again if there is `resume`: after the server's `retry:`, with the id of the last event, so that
 * no event is lost or repeated if the server honours ids.
 * @param body the body of a response with `responseType: 'stream'`
 * @param options see {@link EventOptions}
 * @throws ParseError (code `PARSE`) for an event longer than `maxBytes`; AbortError (code `ABORTED`); the body's own
 * error, and with `resume` that of a failed attempt.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { events } from 'arango-services/stream';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * const changes = client.route('orders', { accept: 'text/event-stream' }).with({ responseType: 'stream' });
 * const open = async (headers = {}) => (await changes.with({ headers }).get('changes')).body;
 * for await (const { event, data } of events(await open(), { resume: open })) console.log(event, data);
 * ```
 */
export async function* events(
  body: ByteSource,
  options: EventOptions = {},
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const given = readFields(options, 'options', readOptions);
  const { resume, signal, maxBytes = defaultBytes, retryMs = 1_000, longestRetryMs = 30_000 } = given;
  const state: Reconnection = { retryMs, longestRetryMs, lastId: '', failures: 0 };
  throwIfAborted(signal);
  for (let source = body; ; ) {
    try {
      yield* eventsOf(source, maxBytes, state, signal);
    } catch (error) {
      throwIfAborted(signal);
      if (!resume || !isBroken(error)) throw error;
    }
    throwIfAborted(signal);
    if (!resume) return;
    source = await reopen(state, resume, signal);
    if (source === undefined) return;
  }
}

/** The events of one connection. */
async function* eventsOf(
  body: ByteSource,
  maxBytes: number,
  state: Reconnection,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  const ready: ServerSentEvent[] = [];
  let count = 0;
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: ({ event, data, id }) => void ready.push({ event, data, id }),
    onRetry: (ms) => {
      state.retryMs = Math.min(ms, longestTimerMs);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') isTooLong = true;
    },
  });
  for await (const chunk of chunksOf(body, signal)) {
    const text = decoder.decode(chunk, { stream: true });
    for (let at = 0; at < text.length; at += mostAtOnce) {
      parser.feed(text.slice(at, at + mostAtOnce));
      for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
        count += 1;
        state.failures = 0;
        if (next.id !== undefined) state.lastId = next.id;
        yield next;
      }
      if (isTooLong) {
        const problem = `is an event longer than ${maxBytes} bytes`;
        throw new ParseError({}, undefined, '', { line: count + 1, problem });
      }
    }
  }
}
