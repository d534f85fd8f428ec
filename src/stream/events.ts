import { createParser } from 'eventsource-parser';
import { signalOption } from '../connection/deadline.js';
import { ParseError } from '../errors.js';
import { coders, requireEngine } from '../lib/engine.js';
import { accepting, optional, optionsOf, type ReadersOf, readFields, wholeNumber } from '../lib/readers.js';
import { longestTimerMs } from '../lib/wait.js';
import { type ByteSource, chunksOf } from './chunks.js';
import { defaultBytes, type LineOptions, lineReaders } from './lines.js';
import { isBroken, lifetimeOf, type Reconnection, type Resume, reopen, throwIfAborted } from './resume.js';

/** A server-sent event. */
export interface ServerSentEvent {
  /** The name of the event; undefined if the server sent none, which means `message`. */
  readonly event: string | undefined;
  /** The lines of its data, joined. */
  readonly data: string;
  /** The id that came with the event; with `resume`, the last one is sent as `Last-Event-ID`. */
  readonly id: string | undefined;
}

// From each \r the parser scans to the end of its input for the next \n: quadratic time for many lines with \r.
const mostAtOnce = 4_096;

/** Options of {@link events}. */
export interface EventOptions extends LineOptions {
  /**
   * Opens the stream again when it ends or breaks. An undefined body (204) ends the iteration. An error that another
   * attempt would not change, like 401, 403 or 404, rejects it; after any other failure there is another attempt.
   */
  readonly resume?: Resume | undefined;
  /** Ends the iteration with `AbortError`, and cancels the body. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds before the stream is opened again, unless the server sets them (`retry:`). Doubled, from at least
   * 100 ms, after each connection without an event. Default 1 000.
   */
  readonly retryMs?: number | undefined;
  /** The cap of the doubled wait in milliseconds; a longer wait set by the server overrides it. Default 30 000. */
  readonly longestRetryMs?: number | undefined;
}

const milliseconds = optional(wholeNumber('milliseconds', 0, longestTimerMs));
export const readEventOptions = optionsOf({
  ...lineReaders,
  resume: optional(accepting<Resume>('a function', (value) => typeof value === 'function')),
  signal: optional(signalOption),
  retryMs: milliseconds,
  longestRetryMs: milliseconds,
} satisfies ReadersOf<EventOptions>);

/**
 * Iterates over the server-sent events of a body (`text/event-stream`). Leaving the loop cancels the body. A stream
 * that ends is opened again if there is `resume`: after the server's `retry:`, with the id of the last event, so that
 * no event is lost or repeated if the server honours ids.
 * @param body the body of a response with `responseType: 'stream'`; undefined lets `resume` open the first one, too
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
  const given = readFields(options, 'options', readEventOptions);
  const { resume, signal, maxBytes = defaultBytes, retryMs = 1_000, longestRetryMs = 30_000 } = given;
  const state: Reconnection = { retryMs, longestRetryMs, lastId: '', failures: body === undefined ? -1 : 0 };
  for (let source = body; ; ) {
    state.lifetime = lifetimeOf(source) ?? state.lifetime;
    try {
      yield* eventsOf(source, maxBytes, state, signal, resume && idReader());
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

/** Longer ids fit into no header of usual servers, and so could not be sent back. */
const longestId = 8_192;

/** The events of one connection. */
async function* eventsOf(
  body: ByteSource,
  maxBytes: number,
  state: Reconnection,
  signal: AbortSignal | undefined,
  readIds: ((part: string) => string | undefined) | undefined,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  requireEngine(coders);
  const decoder = new TextDecoder();
  const ready: ServerSentEvent[] = [];
  let count = 0;
  let isTooLong = false;
  let isAfterCr = false;
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
      let part = text.slice(at, at + mostAtOnce);
      // The parser would wait for a \n after a \r at the end, so that an event would come late, or never.
      if (isAfterCr && part.startsWith('\n')) part = part.slice(1);
      isAfterCr = part.endsWith('\r');
      if (isAfterCr) part += '\n';
      parser.feed(part);
      for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
        count += 1;
        state.failures = 0;
        yield next;
        throwIfAborted(signal);
      }
      if (isTooLong) {
        const problem = `is an event longer than ${maxBytes} bytes`;
        throw new ParseError({}, undefined, '', { line: count + 1, problem });
      }
      state.lastId = readIds?.(part) ?? state.lastId;
      if (state.lastId.length > longestId) {
        throw new ParseError({}, undefined, '', { problem: `sent an id longer than ${longestId} characters` });
      }
    }
  }
}

/**
 * Returns a function that takes a stream's text in parts, none of which splits a `\r\n`, and returns the id of the last
 * complete block that has one. The parser does not report the ids of blocks without data, but they count as well:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#dispatchMessage
 */
function idReader(): (part: string) => string | undefined {
  let rest = '';
  let id: string | undefined;
  return (part) => {
    rest += part;
    if (!/[\r\n]/.test(part)) return undefined;
    const lines = rest.split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    let complete: string | undefined;
    for (const line of lines) {
      const field = /^id(?:: ?(.*))?$/s.exec(line);
      if (line === '') complete = id ?? complete;
      else if (field && !field[1]?.includes('\0')) id = field[1] ?? '';
    }
    return complete;
  };
}
