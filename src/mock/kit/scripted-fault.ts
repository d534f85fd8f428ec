import { InvalidArgumentError } from '../../errors.js';
import { accepting, asGiven, expected, optionsOf, readFields, readFlag } from '../../lib/readers.js';
import { longestTimerMs } from '../../lib/wait.js';
import { type PoolMethod, poolKinds, poolMethods } from '../../pool/items.js';
import type { Settings } from '../config/settings.js';
import type { RequestFault } from '../server/handle.js';
import { dropped, type GrpcCode, grpcCodeForStatus, isGrpcCode, json, type NeutralResponse } from '../wire/http.js';
import { encodeReply } from './custom-handler.js';
import { filterReaders, formatFilter, type Matches, matcherOf, type RequestFilter } from './filter.js';

/** A scripted fault: a filter of requests, and what happens to them. */
export interface MockFault extends RequestFilter {
  /** Answer with this status, 200 to 599, instead of asking the service. */
  readonly status?: number | undefined;
  /**
   * The body of that answer: a JSON value, text or bytes. Default: an error in the form of the services or of the
   * database.
   */
  readonly body?: unknown;
  /** Additional headers of that answer, like `{ 'retry-after': '1' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds to wait first, in real time or by fake timers. Alone, the request is served after the wait. */
  readonly delayMs?: number | undefined;
  /**
   * The gateway's timeout for the whole answer, in milliseconds of real time or of the mock's clock; a route has 60000
   * by default. An answer that has not begun by then is a 504, and one that streams is cut off.
   */
  readonly timeoutMs?: number | undefined;
  /** Close the connection without an answer: a network error. */
  readonly drop?: boolean | undefined;
  /** Make the next decision fail inside the service, for any request. Can be combined with `times` only. */
  readonly evaluation?: boolean | undefined;
  /**
   * Break a pool stream of this method (like `'PoolPolicyChanges'`) with `grpcCode`: one that is open, or else the
   * next. Can be combined with `after` and `times` only.
   */
  readonly stream?: PoolMethod | undefined;
  /** The number of messages still sent before the stream breaks. Default 0: it breaks at once. */
  readonly after?: number | undefined;
  /** The gRPC code that the stream breaks with, from 1 to 16, like 14 (Unavailable). */
  readonly grpcCode?: number | undefined;
  /** The number of requests or streams that it applies to. Default 1; `Infinity` until it is removed. */
  readonly times?: number | undefined;
}

/** A checked fault, with its answer prepared. */
export interface ScriptedFault extends RequestFault {
  readonly evaluation: boolean;
  /** The stream to break, after how many messages, and the code to break it with. */
  readonly stream: { readonly method: PoolMethod; readonly after: number; readonly code: GrpcCode } | undefined;
  readonly matches: Matches;
  /** Its description in errors. */
  readonly name: string;
  left: number;
  used: boolean;
}

const streams = poolKinds.flatMap((kind): PoolMethod[] => Object.values(poolMethods[kind]));

/** Reads a number that `accepts` allows. */
const numberWhere = (accepted: string, accepts: (value: number) => boolean) =>
  accepting<number>(accepted, (value) => typeof value === 'number' && accepts(value));

const readMs = numberWhere(`milliseconds from 0 to ${longestTimerMs}`, (ms) => ms >= 0 && ms <= longestTimerMs);

const readFaultFields = optionsOf({
  ...filterReaders,
  status: numberWhere('a status from 200 to 599', (value) => Number.isInteger(value) && value >= 200 && value <= 599),
  body: asGiven,
  headers: asGiven,
  delayMs: readMs,
  timeoutMs: readMs,
  drop: readFlag,
  evaluation: readFlag,
  stream: accepting<PoolMethod>(`one of ${streams.join(', ')}`, (value) => streams.some((one) => one === value)),
  after: numberWhere('a whole number of messages', (value) => Number.isInteger(value) && value >= 0),
  grpcCode: asGiven,
  times: numberWhere(
    'a whole number above 0 or Infinity',
    (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value > 0),
  ),
});

/** Rejects fields that would be ignored, and faults that could never happen. */
function checkFields(fault: MockFault, { authorization, central }: Settings): void {
  const { status, delayMs, timeoutMs, drop, evaluation, stream } = fault;
  const given = new Set(
    Object.entries(fault).flatMap(([name, value]) => (value === undefined || value === false ? [] : name)),
  );
  const refuseWith = (name: string, allowed: string): void => {
    for (const other of given) {
      if (other !== name && !allowed.split(' ').includes(other)) {
        throw new InvalidArgumentError(
          other,
          `does nothing with ${name}: expected only ${allowed.replaceAll(' ', ', ')}`,
        );
      }
    }
  };
  if (evaluation === true) {
    refuseWith('evaluation', 'times');
    // createToken checks its permission by the policies, for any type.
    if ((authorization.type === 'always' || authorization.type === 'never') && !central) {
      throw new InvalidArgumentError(
        'evaluation',
        `can never happen: authorization type ${authorization.type} evaluates nothing, ` +
          'expected central or central-permissive',
      );
    }
  } else if (stream !== undefined) {
    refuseWith('stream', 'after grpcCode times');
  } else if (drop === true) {
    refuseWith('drop', 'method path delayMs times');
  } else if (status === undefined) {
    if ((delayMs ?? timeoutMs) === undefined) {
      throw new InvalidArgumentError(
        'fault',
        'expected one of status, delayMs, timeoutMs, drop, evaluation or stream, or it does nothing',
      );
    }
    for (const name of ['body', 'headers']) {
      if (given.has(name)) throw new InvalidArgumentError(name, 'expected a status with it');
    }
  }
  for (const name of ['after', 'grpcCode']) {
    if (stream === undefined && given.has(name)) throw new InvalidArgumentError(name, 'expected a stream with it');
  }
}

/** Reads which stream to break, and how. */
function readStream({ stream: method, after = 0, grpcCode }: MockFault): ScriptedFault['stream'] {
  if (method === undefined) return undefined;
  if (!isGrpcCode(grpcCode)) throw expected('grpcCode', 'a gRPC code from 1 to 16 with the stream', grpcCode);
  return { method, after, code: grpcCode };
}

/** Prepares the answer now, so that no caller objects are kept and invalid ones are rejected here. */
function scriptReply({ drop, status, body, headers = {} }: MockFault): ScriptedFault['reply'] {
  if (drop === true) return () => dropped;
  if (status === undefined) return () => undefined;
  let list: [string, string][];
  try {
    list = [...new Headers(headers)];
  } catch {
    throw new InvalidArgumentError('headers', 'expected names and values that HTTP allows');
  }
  if (body !== undefined) {
    let reply: NeutralResponse;
    try {
      reply = encodeReply({ status, headers: Object.fromEntries(list), body });
    } catch {
      throw expected('body', 'a value that JSON can hold, text or bytes', body);
    }
    return () => reply;
  }
  if (status < 400) return () => ({ status, headers: list });
  const message = 'scripted fault';
  return (family) =>
    family === 'services'
      ? json({ code: grpcCodeForStatus(status), message, details: [] }, status, list)
      : json({ error: true, code: status, errorNum: status, errorMessage: message }, status, list);
}

function nameOf(fault: MockFault): string {
  const { status, delayMs, timeoutMs, drop, evaluation, stream, grpcCode } = fault;
  if (evaluation === true) return 'evaluation';
  if (stream !== undefined) return `${stream} (gRPC code ${grpcCode})`;
  const what =
    drop === true
      ? 'drop'
      : status === undefined
        ? timeoutMs === undefined
          ? `delay ${delayMs} ms`
          : `timeout ${timeoutMs} ms`
        : `status ${status}`;
  return `${formatFilter(fault)} (${what})`;
}

/**
 * Reads a fault.
 * @throws InvalidArgumentError for one that does nothing or can never happen.
 */
export function readFault(fault: MockFault, settings: Settings): ScriptedFault {
  const read = readFields(fault, 'fault', readFaultFields);
  checkFields(fault, settings);
  return {
    evaluation: fault.evaluation === true,
    stream: readStream(fault),
    matches: matcherOf(read),
    delayMs: fault.delayMs,
    timeoutMs: fault.timeoutMs,
    reply: scriptReply(fault),
    name: nameOf(fault),
    left: fault.times ?? 1,
    used: false,
  };
}
