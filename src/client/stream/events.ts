import { createParser } from 'eventsource-parser';
import { ParseError } from '../../base/errors.js';
import { type ByteSource, chunksOf } from '../../base/lib/chunks.js';
import { coders, requireEngine } from '../../base/lib/engine.js';
import {
  optional,
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFlag,
  readFunction,
  readObject,
  wholeNumber,
  withMethods,
} from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import { longestTimerMs } from '../../base/lib/wait.js';
import type { OperationOf, PathsOf } from '../../base/openapi-document/operation-types.js';
import type { CallOptions } from '../connection/call.js';
import { signalOption } from '../connection/deadline.js';
import { type AttemptInfo, type FixedHeaders, readHeaders } from '../connection/headers.js';
import type { RouteResponse } from '../connection/response.js';
import type { RequestIn, TypedRoute } from '../openapi/typed-types.js';
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
  resume: optional(readFunction as Reader<Resume>),
  signal: optional(signalOption),
  retryMs: milliseconds,
  longestRetryMs: milliseconds,
} satisfies ReadersOf<EventOptions>);

/** The parameters and options of an event stream of a typed route. */
export type TypedEvents<Paths, P extends keyof Paths> = RequestIn<OperationOf<Paths, P, 'get'>> &
  Omit<CallOptions, 'schema' | 'responseType' | 'allowStatus' | 'maxBytes'> &
  Omit<EventOptions, 'resume'> & {
    /** False ends the iteration with the first stream. Default true: a stream that ends or breaks is opened again. */
    readonly resume?: boolean | undefined;
  };

/** The arguments after the path; the options may be left out if the operation requires none. */
export type TypedEventArguments<Call, Request> =
  Record<never, never> extends Request ? readonly [options?: Call] : readonly [options: Call];

/**
 * Iterates over the server-sent events of a body (`text/event-stream`). Leaving the loop cancels the body. A stream
 * that ends is opened again if there is `resume`: after the server's `retry:`, with the id of the last event, so that
 * no event is lost or repeated if the server honours ids.
 *
 * A typed route (`typed` of `arango-services/openapi`) takes the path of a GET operation, and its parameters and
 * options; it opens the stream by itself, the first time and again. `timeout` limits each connection; 0 lifts it.
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
export function events(body: ByteSource, options?: EventOptions): AsyncGenerator<ServerSentEvent, void, undefined>;
export function events<Paths, P extends PathsOf<Paths, 'get'>>(
  route: TypedRoute<Paths>,
  path: P,
  ...options: TypedEventArguments<TypedEvents<Paths, P>, RequestIn<OperationOf<Paths, P, 'get'>>>
): AsyncGenerator<ServerSentEvent, void, undefined>;
export async function* events(
  source: ByteSource | TypedRoute<never>,
  ...args: readonly unknown[]
): AsyncGenerator<ServerSentEvent, void, undefined> {
  // The casts: the signatures say which source comes with which arguments; the route's method is checked.
  const [first = {}, options = {}] = args;
  const isBody = !source || hasMethod(source, 'getReader') || hasMethod(source, Symbol.asyncIterator);
  if (isBody || typeof first !== 'string') yield* eventsFrom(source as ByteSource, first);
  else yield* eventsAt(readArgument(source, 'route', readTyped), first, options);
}

/** The call of a typed route, of any path. */
type AnyTyped = { get(path: string, options: object): Promise<RouteResponse> };
const readTyped = withMethods<AnyTyped>('a typed route', 'get');

/** The events of an operation of a typed route, which opens the stream. */
async function* eventsAt(
  route: AnyTyped,
  path: string,
  options: unknown,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const settings = readArgument(options, 'options', readObject);
  const { resume: again, maxBytes, retryMs, longestRetryMs, headers, ...call } = settings;
  const open: Resume = async (more) => {
    const request = { ...call, responseType: 'stream', headers: withHeaders(headers, more) };
    // The cast: the body of `responseType: 'stream'`.
    return (await route.get(path, request)).body as ByteSource;
  };
  const limits = { signal: call.signal, maxBytes, retryMs, longestRetryMs };
  const resumes = readArgument(again, 'resume', optional(readFlag, true));
  if (resumes) yield* eventsFrom(undefined, { ...limits, resume: open });
  else yield* eventsFrom(await open({}), limits);
}

/** Adds the headers of an event stream to those of a call. */
function withHeaders(own: unknown, more: Readonly<Record<string, string>>) {
  const fieldsOf = (value: unknown, layer = readArgument(value, 'headers', readHeaders)) =>
    // The cast: of a function its result is passed, so that `layer` is never one.
    ({ accept: 'text/event-stream', ...Object.fromEntries(layer as FixedHeaders), ...more });
  if (typeof own !== 'function') return fieldsOf(own ?? {});
  return (info: AttemptInfo) => fieldsOf(own(info));
}

async function* eventsFrom(body: ByteSource, options: unknown): AsyncGenerator<ServerSentEvent, void, undefined> {
  const settings = readFields(options, 'options', readEventOptions);
  const { resume, signal, maxBytes = defaultBytes, retryMs = 1_000, longestRetryMs = 30_000 } = settings;
  const state: Reconnection = { retryMs, longestRetryMs, lastId: '', failures: body === undefined ? -1 : 0 };
  for (let source = body; ; ) {
    state.lifetime = lifetimeOf(source) ?? state.lifetime;
    try {
      yield* eventsOf(source, maxBytes, { state, readIds: resume && idReader() }, signal);
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
  { state, readIds }: { readonly state: Reconnection; readonly readIds: ReturnType<typeof idReader> | undefined },
  signal: AbortSignal | undefined,
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
 * complete block that has one. The parser does not report the ids of blocks without data, but these ids count, too:
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
