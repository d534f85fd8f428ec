import { InvalidArgumentError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import { readFields } from '../../base/lib/readers.js';
import { printable } from '../../base/lib/text/printable.js';
import type { Settings } from '../config/mock-config.js';
import type { RequestFilter } from '../options/request-filter.js';
import type { AnswerRecorder } from '../server/handle.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { Answered } from './answered.js';
import { BoundedList } from './bounded-list.js';
import { describeRequest, type LoggedRequest, type RequestSummary, summarize } from './logged-request.js';
import { readFilter } from './match-request.js';
import { estimateBytes } from './memory.js';
import { createWaiters, readWaitOptions, type WaitOptions } from './waiters.js';

/** Received requests, oldest first, at most `limits.log` of them and `limits.logBytes` bytes. A live array. */
export interface RequestLog extends Omit<Array<LoggedRequest>, 'find'> {
  /** Removes all requests. */
  clear(): void;
  /**
   * The first request that matches a filter `{ method, path }` or a predicate.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a filter that no request can match.
   */
  find(
    wanted: RequestFilter | ((request: LoggedRequest, index: number, all: LoggedRequest[]) => unknown),
  ): LoggedRequest | undefined;
}

/** A listener for answered requests. */
export type RequestListener = (request: RequestSummary) => void;

/** The request log of a mock, with its listeners and pending waits. */
export interface Recorder extends AnswerRecorder {
  /** The log, kept up to date from now on. */
  log(): RequestLog;
  /** The first request that matches, in the log or yet to come. */
  waitFor(filter: RequestFilter, options?: WaitOptions): Promise<LoggedRequest>;
  /**
   * Calls `listener` for every request answered from now on, even if the log keeps none.
   * @returns a function that removes the listener.
   */
  watch(listener: RequestListener): () => void;
  save(): readonly LogEntry[];
  /** Restores a log. Pending waits fail, because they were for requests before the restore. */
  load(saved: readonly LogEntry[]): void;
  /** Fails all pending waits. */
  dispose(): void;
}

/** An answered request, described or not yet. */
type LogEntry = Answered | LoggedRequest;

/** Describes the last few requests, for the error of `waitFor`. */
function formatArrived(log: readonly LoggedRequest[]): string {
  if (log.length === 0) return 'nothing arrived';
  const last = log.slice(-5).map(({ method, path, status }) => printable(`${method} ${path} (${status})`));
  const which = log.length > last.length ? `, the last ${last.length} of ${log.length}` : '';
  return `arrived so far${which}: ${last.join(', ')}`;
}

/**
 * Records the last requests, within the limits. They are described and redacted lazily: at the first access to the log,
 * and from then on as they arrive, so that an unread log costs little.
 */
export function createRecorder({ log: most, logBytes }: Settings['limits'], now: () => number): Recorder {
  const described = new WeakMap<LoggedRequest, number>();
  const bytesOf = (entry: LogEntry): number => (entry instanceof Answered ? entry.bytes : (described.get(entry) ?? 0));
  const log = new BoundedList<LoggedRequest>(most, logBytes, bytesOf);
  let unread: BoundedList<LogEntry> | undefined = new BoundedList(most, logBytes, bytesOf);

  function describe(entry: LogEntry): LoggedRequest {
    if (!(entry instanceof Answered)) return entry;
    const request = describeRequest(entry);
    described.set(request, estimateBytes(request));
    return request;
  }

  const find: RequestLog['find'] = (wanted) =>
    Array.prototype.find.call(log.items, typeof wanted === 'function' ? wanted : readFilter(wanted));
  const clear = (): void => {
    log.clear();
    unread?.clear();
  };
  // A plain array with two more methods: `shift` on a subclass of Array is 50 times slower.
  const methods = { find: { value: find }, clear: { value: clear } };
  const live = Object.defineProperties(log.items, methods) as RequestLog & LoggedRequest[];

  const listeners = new Set<RequestListener>();
  const waiters = createWaiters();

  function upToDate(): RequestLog & LoggedRequest[] {
    for (const entry of unread?.items ?? []) log.add(describe(entry));
    unread = undefined;
    return live;
  }

  function enter(exchange: Exchange, status: number): void {
    if (most === 0) return;
    const answered = new Answered(exchange, status, now());
    if (unread !== undefined) return void unread.add(answered);
    const request = describe(answered);
    log.add(request);
    waiters.note(exchange.request, request);
  }

  return {
    record(exchange, status) {
      enter(exchange, status);
      // Logs first, because a listener may reset the mock.
      for (const listener of listeners) void quietly(() => listener(summarize(exchange, status)));
    },
    log: upToDate,
    async waitFor(filter, options = {}) {
      const matches = readFilter(filter);
      const { timeout = 5_000 } = readFields(options, 'options', readWaitOptions);
      if (most === 0) throw new InvalidArgumentError('limits.log', 'is 0, so no requests are kept');
      const request = upToDate().find(matches);
      return request ?? waiters.wait(filter, matches, timeout, () => formatArrived(log.items));
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    save: () => [...(unread ?? log).items],
    load(saved) {
      waiters.fail('ended because the mock was restored or reset');
      clear();
      for (const entry of saved) {
        if (unread === undefined) log.add(describe(entry));
        else unread.add(entry);
      }
    },
    dispose: () => waiters.fail('ended because the mock was disposed'),
  };
}
