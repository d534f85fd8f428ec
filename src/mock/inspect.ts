import type { Exchange } from './exchange.js';
import type { HeaderSource } from './wire.js';

/** One request that reached the mock. Credentials, passwords and tokens read `<redacted>`. */
export interface LoggedRequest {
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  /** The query without its `?`. */
  readonly query: string;
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

/** What `find` and `waitFor` look for; a `path` also matches as the end of a path. */
export interface RequestFilter {
  readonly method?: string;
  readonly path?: string | RegExp;
}

const longBody = 16_384;
const deepest = 32;
const redacted = '<redacted>';
const secretName = /passw|token|secret|credential|authorization|cookie|jwt|api-?key/i;
const jwt = /\beyJ[\w-]+\.[\w-]*\.[\w-]*/g;
const secretPair = /((?:^|[&?;\s"'])[\w-]*(?:passw|token|secret|jwt)[\w-]*["']?\s*[=:]\s*["']?)[^&;\s"']*/gi;

const cleanText = (text: string): string => text.replace(secretPair, `$1${redacted}`).replace(jwt, redacted);

/** A copy of a JSON value without its secrets. */
function clean(value: unknown, name: string, depth: number): unknown {
  if (typeof value === 'string')
    return secretName.test(name) ? redacted : value.includes('eyJ') ? cleanText(value) : value;
  if (typeof value !== 'object' || value === null) return secretName.test(name) && value !== null ? redacted : value;
  if (depth === deepest) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => clean(item, name, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item, key, depth + 1)]));
}

function cleanHeaders(headers: HeaderSource): Record<string, string> {
  const list: [string, string][] = [];
  for (const [name, value] of headers.entries()) list.push([name, secretName.test(name) ? redacted : value]);
  return Object.fromEntries(list);
}

function cleanBody(exchange: Exchange): unknown {
  const { length } = exchange;
  if (length === 0) return undefined;
  if (length > longBody) return `[${length} bytes]`;
  try {
    return clean(exchange.json, '', 0);
  } catch {
    try {
      return cleanText(exchange.text);
    } catch {
      return `[${length} bytes]`;
    }
  }
}

/** Whether a path is the one that a filter or a fault names. */
export function matchesPath(path: string, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? path === wanted || path.endsWith(wanted) : new RegExp(wanted).test(path);
}

/** Whether a request is the one that a filter names. */
export function matches(request: { method: string; path: string }, filter: RequestFilter): boolean {
  return (
    (filter.method === undefined || filter.method.toUpperCase() === request.method) &&
    matchesPath(request.path, filter.path)
  );
}

/** The requests that arrived, oldest first, at most `limits.log` of them. A live array. */
export interface RequestLog extends Omit<Array<LoggedRequest>, 'find'> {
  /** Forgets all requests. */
  clear(): void;
  /** The first request that fits: a `{ method, path }`, or a predicate as with any array. */
  find(
    wanted: RequestFilter | ((request: LoggedRequest, index: number, all: LoggedRequest[]) => unknown),
  ): LoggedRequest | undefined;
}

/** Hears of an answered request: what of it needs no cleaning. */
export type RequestListener = (request: Pick<LoggedRequest, 'method' | 'path' | 'status' | 'decision'>) => void;

/** Where answered requests go. */
export interface Recorder {
  /** Called once for each request, after its answer. */
  record(exchange: Exchange, status: number): void;
  /** The log, up to date from now on. */
  log(): RequestLog;
  clear(): void;
  /** Tells `listener` of every request that is answered from now on, also where the log keeps none. @returns what ends it. */
  watch(listener: RequestListener): () => void;
}

function describeRequest({ exchange, status, time }: Answered): LoggedRequest {
  const { method, path, query, headers } = exchange.request;
  return {
    method,
    path,
    query: query === '' ? '' : cleanText(query),
    headers: cleanHeaders(headers),
    body: cleanBody(exchange),
    user: exchange.user,
    status,
    decision: exchange.decision,
    thrown: exchange.thrown,
    time: new Date(time),
  };
}

interface Answered {
  readonly exchange: Exchange;
  readonly status: number;
  readonly time: number;
}

/**
 * Keeps the last `cap` requests. They are cleaned for the log when somebody looks at it for the first time, and from then on
 * as they arrive: a mock whose log nobody reads does not pay for it.
 */
export function createRecorder(cap: number, now: () => number): Recorder {
  const log: LoggedRequest[] = [];
  let waiting: Answered[] | undefined = [];

  const find: RequestLog['find'] = (wanted) =>
    Array.prototype.find.call(log, typeof wanted === 'function' ? wanted : (request) => matches(request, wanted));
  const clear = (): void => {
    log.length = 0;
    if (waiting !== undefined) waiting = [];
  };
  // A plain array with two more methods: taking the oldest from a subclass of Array is 50 times slower.
  const methods = { find: { value: find }, clear: { value: clear } };
  const live = Object.defineProperties(log, methods) as RequestLog & LoggedRequest[];

  const listeners = new Set<RequestListener>();

  return {
    clear,
    record(exchange, status) {
      for (const listener of listeners) {
        const { request, decision } = exchange;
        listener({ method: request.method, path: request.path, status, decision });
      }
      if (cap === 0) return;
      if (exchange.length > longBody) exchange.release();
      const list = waiting ?? log;
      if (list.length >= cap) list.shift();
      const answered = { exchange, status, time: now() };
      if (waiting === undefined) log.push(describeRequest(answered));
      else waiting.push(answered);
    },
    log() {
      for (const answered of waiting ?? []) log.push(describeRequest(answered));
      waiting = undefined;
      return live;
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
