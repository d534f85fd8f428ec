import { accepting, asGiven, type Reader, readFlag } from '../../base/lib/readers.js';
import { longestTimerMs } from '../../base/lib/wait.js';
import { type PoolMethod, poolKinds, poolMethods } from '../../policy/pool/pool-items.js';
import type { ResponseHeaders } from '../wire/http.js';
import type { RequestFilter } from './request-filter.js';

const streams = poolKinds.flatMap((kind): PoolMethod[] => Object.values(poolMethods[kind]));

/** Reads a number that `accepts` allows. */
const numberWhere = (accepted: string, accepts: (value: number) => boolean): Reader<number> =>
  // The cast: `accepts` rejects what is not a number.
  accepting(accepted, accepts as (value: unknown) => boolean);

const readMs = numberWhere(
  `milliseconds from 0 to ${longestTimerMs}`,
  (ms) => typeof ms === 'number' && ms >= 0 && ms <= longestTimerMs,
);

/**
 * The fields of a fault beside its filter. This is the only place that lists them: the type of a fault, its check, what
 * the console accepts and the table of docs/mock.md follow from it.
 */
export const faultReaders = {
  /** Answer with this status, 200 to 599, instead of asking the service. */
  status: numberWhere('a status from 200 to 599', (value) => Number.isInteger(value) && value >= 200 && value <= 599),
  /**
   * The body of that response: a JSON value, text or bytes. Default: an error in the form of the services or of the
   * database.
   */
  body: asGiven,
  /** Additional headers of that response, like `{ 'retry-after': '1' }`. */
  headers: asGiven as Reader<ResponseHeaders>,
  /** Milliseconds to wait first, in real time or by fake timers. Alone, the request is served after the wait. */
  delayMs: readMs,
  /**
   * The gateway's timeout for the whole response, in milliseconds of real time or of the mock's clock; a route has
   * 60000 by default. A response that has not begun by then is a 504, and one that streams is cut off.
   */
  timeoutMs: readMs,
  /** Close the connection without a response: a network error. */
  drop: readFlag,
  /** Make the next decision fail inside the service, for any request. Can be combined with `times` only. */
  evaluation: readFlag,
  /**
   * Break a pool stream of this method (like `'PoolPolicyChanges'`) with `grpcCode`: one that is open, or else the
   * next. Can be combined with `after` and `times` only.
   */
  stream: accepting<PoolMethod>(`one of ${streams.join(', ')}`, (value) => streams.includes(value as PoolMethod)),
  /** The number of messages still sent before the stream breaks. Default 0: it breaks at once. */
  after: numberWhere('a whole number of messages', (value) => Number.isInteger(value) && value >= 0),
  /** The gRPC code that the stream breaks with, from 1 to 16, like 14 (Unavailable). */
  grpcCode: asGiven as Reader<number>,
  /** The number of requests or streams that it applies to. Default 1; `Infinity` until it is removed. */
  times: numberWhere(
    'a whole number above 0 or Infinity',
    (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value > 0),
  ),
};

/** The field without which another one does nothing. */
export const faultNeeds: { readonly [Name in keyof typeof faultReaders]?: 'status' | 'stream' } = {
  body: 'status',
  headers: 'status',
  after: 'stream',
  grpcCode: 'stream',
};

/** A scripted fault: a filter of requests, and what happens to them. `docs/mock.md` lists the fields. */
export type MockFault = RequestFilter & {
  readonly [Name in keyof typeof faultReaders]?: ReturnType<(typeof faultReaders)[Name]> | undefined;
};
