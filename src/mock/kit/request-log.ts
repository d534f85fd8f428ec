import { InvalidArgumentError } from '../../errors.js';
import { expected } from '../../lib/readers.js';
import type { AnswerRecorder } from '../server/handle.js';
import type { Exchange } from '../wire/exchange.js';
import { formatFilter, type Matches, type RequestFilter, readFilter, refuseUnknown } from './filter.js';
import { isLongBody, redactBody, redactHeaders, redactQuery, redactTokens } from './redact.js';

/** One request that reached the mock. Credentials, passwords and tokens read `<redacted>`. */
export interface LoggedRequest {
  /** As it was sent. */
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  /** The query without its `?`. */
  readonly query: string;
  /** By lower-case name; those that hold a secret read `<redacted>`. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON where the body was JSON, else text; `undefined` when there was none. A long or binary body is only named by its size. */
  readonly body: unknown;
  /** Who sent it or whom it was about, where the mock found out. */
  readonly user: string | undefined;
  /** The status of the answer; 0 when a fault dropped the connection. */
  readonly status: number;
  /** The decision that an authorization call came to. */
  readonly decision: 'Allow' | 'Deny' | undefined;
  /** What a custom route threw, where the answer is an opaque 500. */
  readonly thrown: unknown;
  /** The mock's time when it was answered. */
  readonly time: Date;
}

/** The requests that arrived, oldest first, at most `limits.log` of them. A live array. */
export interface RequestLog extends Omit<Array<LoggedRequest>, 'find'> {
  /** Forgets all requests. */
  clear(): void;
  /**
   * The first request that fits: a `{ method, path }`, or a predicate as with any array.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a filter that no request can fit.
   */
  find(
    wanted: RequestFilter | ((request: LoggedRequest, index: number, all: LoggedRequest[]) => unknown),
  ): LoggedRequest | undefined;
}

/** How long `waitFor` waits. */
export interface WaitOptions {
  /** Milliseconds of real time, above 0 (fake timers count, too). Default 5000. */
  readonly timeoutMs?: number | undefined;
}

/** What a listener hears of an answered request: what is quickly cleaned. */
export type RequestSummary = Pick<LoggedRequest, 'method' | 'path' | 'status' | 'decision'>;

/** Hears of an answered request. */
export type RequestListener = (request: RequestSummary) => void;

/** What a snapshot keeps of the log. */
type SavedLog = readonly (Answered | LoggedRequest)[];

/** The request log of a mock, and who hears of it. */
export interface Recorder extends AnswerRecorder {
  /** The log, up to date from now on. */
  log(): RequestLog;
  /** The first request that fits, in the log or among those to come. */
  waitFor(filter: RequestFilter, options?: WaitOptions): Promise<LoggedRequest>;
  /** Tells `listener` of every request that is answered from now on, also where the log keeps none. @returns what ends it. */
  watch(listener: RequestListener): () => void;
  save(): SavedLog;
  /** Brings back a log, and ends all waiting with an error: it was for a request of the time before. */
  load(saved: SavedLog): void;
  /** Ends all waiting with an error. */
  dispose(): void;
}

interface Answered {
  readonly exchange: Exchange;
  readonly status: number;
  readonly time: number;
}

interface Waiter {
  readonly matches: Matches;
  resolve(request: LoggedRequest): void;
  fail(why: string): void;
}

const filterFields = ['method', 'path'];

function readWanted(filter: RequestFilter): Matches {
  refuseUnknown(filter, filterFields, 'filter');
  return readFilter(filter);
}

function describeRequest({ exchange, status, time }: Answered): LoggedRequest {
  const { method, path, query, headers } = exchange.request;
  return {
    method,
    path: redactTokens(path),
    query: redactQuery(query),
    headers: redactHeaders(headers),
    body: redactBody(exchange),
    user: exchange.user,
    status,
    decision: exchange.decision,
    thrown: exchange.thrown,
    time: new Date(time),
  };
}

const described = (entry: Answered | LoggedRequest): LoggedRequest =>
  'exchange' in entry ? describeRequest(entry) : entry;

/** What did arrive, for the error of `waitFor`: the last few, method, path and status. */
function formatArrived(log: readonly LoggedRequest[]): string {
  if (log.length === 0) return 'nothing arrived';
  const last = log.slice(-5).map(({ method, path, status }) => `${method} ${path} (${status})`);
  return `arrived so far${log.length > last.length ? `, the last ${last.length} of ${log.length}` : ''}: ${last.join(', ')}`;
}

/**
 * Keeps the last `cap` requests. They are cleaned for the log when somebody looks at it for the first time, and from then on
 * as they arrive: a mock whose log nobody reads does not pay for it.
 */
export function createRecorder(cap: number, now: () => number): Recorder {
  const log: LoggedRequest[] = [];
  let waiting: (Answered | LoggedRequest)[] | undefined = [];

  const find: RequestLog['find'] = (wanted) =>
    Array.prototype.find.call(log, typeof wanted === 'function' ? wanted : readWanted(wanted));
  const clear = (): void => {
    log.length = 0;
    if (waiting !== undefined) waiting = [];
  };
  // A plain array with two more methods: taking the oldest from a subclass of Array is 50 times slower.
  const methods = { find: { value: find }, clear: { value: clear } };
  const live = Object.defineProperties(log, methods) as RequestLog & LoggedRequest[];

  const listeners = new Set<RequestListener>();
  const waiters = new Set<Waiter>();

  function upToDate(): RequestLog & LoggedRequest[] {
    for (const entry of waiting ?? []) log.push(described(entry));
    waiting = undefined;
    return live;
  }

  function enter(exchange: Exchange, status: number): void {
    if (cap === 0) return;
    if (isLongBody(exchange.length)) exchange.release();
    const list = waiting ?? log;
    if (list.length >= cap) list.shift();
    const answered = { exchange, status, time: now() };
    if (waiting !== undefined) return void waiting.push(answered);
    const request = describeRequest(answered);
    log.push(request);
    for (const waiter of waiters) if (waiter.matches(exchange.request)) waiter.resolve(request);
  }

  return {
    record(exchange, status) {
      enter(exchange, status);
      // The log comes first: a listener may reset the mock.
      for (const listener of listeners) {
        const { request, decision } = exchange;
        try {
          listener({ method: request.method, path: redactTokens(request.path), status, decision });
        } catch {
          // Who looks on does not change the answer.
        }
      }
    },
    log: upToDate,
    async waitFor(filter, { timeoutMs = 5_000 } = {}) {
      const matches = readWanted(filter);
      if (!(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= 2_147_483_647)) {
        throw expected('timeoutMs', 'milliseconds above 0, at most 2147483647', timeoutMs);
      }
      if (cap === 0)
        throw new InvalidArgumentError('limits.log', 'is 0, so no request is kept: expected a number above');
      const known = upToDate().find(matches);
      if (known !== undefined) return known;
      return new Promise<LoggedRequest>((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          waiters.delete(waiter);
        };
        const waiter: Waiter = {
          matches,
          resolve(request) {
            end();
            resolve(request);
          },
          fail(why) {
            end();
            reject(new Error(`waitFor(${formatFilter(filter)}) ${why}; ${formatArrived(log)}`));
          },
        };
        const timer = setTimeout(() => waiter.fail(`saw no such request in ${timeoutMs} ms`), timeoutMs);
        waiters.add(waiter);
      });
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    save: () => [...(waiting ?? log)],
    load(saved) {
      for (const waiter of waiters) waiter.fail('ended because the mock was restored or reset');
      log.length = 0;
      if (waiting !== undefined) waiting = [...saved];
      else for (const entry of saved) log.push(described(entry));
    },
    dispose() {
      for (const waiter of waiters) waiter.fail('ended because the mock was disposed');
    },
  };
}
