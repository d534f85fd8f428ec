import { InvalidArgumentError } from '../../errors.js';
import { accepting, asGiven, expected, optionsOf, readFields, readFlag } from '../../lib/readers.js';
import { type PoolMethod, poolKinds, poolMethods } from '../../pool/items.js';
import type { Settings } from '../config/settings.js';
import type { RequestFault } from '../server/handle.js';
import { dropped, type GrpcCode, grpcCodeForStatus, isGrpcCode, json, type NeutralResponse } from '../wire/http.js';
import { encodeReply } from './custom-handler.js';
import { filterReaders, formatFilter, type Matches, matcherOf, type RequestFilter } from './filter.js';

/** A scripted fault: which requests it meets, and what happens to them. */
export interface MockFault extends RequestFilter {
  /** Answer with this status, 200 to 599, instead of asking the service. */
  readonly status?: number | undefined;
  /**
   * The body of that answer: a JSON value, text or bytes; by default the error form of the services or of the database.
   */
  readonly body?: unknown;
  /** More headers of that answer, like `{ 'retry-after': '1' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Wait so many milliseconds of real time first (fake timers count, too); alone, the request is served after the wait.
   */
  readonly delayMs?: number | undefined;
  /** Close the connection without an answer: a network error. */
  readonly drop?: boolean | undefined;
  /** Make the next decision fail inside the service, whatever request asks for it. Stands alone or with `times`. */
  readonly evaluation?: boolean | undefined;
  /**
   * Break a stream of the pool with `grpcCode`: one that is open, or the next one. `'PoolPolicyChanges'`; stands with
   * `after` and `times`.
   */
  readonly stream?: PoolMethod | undefined;
  /** So many more messages are sent before the stream breaks. Default 0: at once. */
  readonly after?: number | undefined;
  /** The gRPC code that the stream breaks with, 1 to 16: 14 is Unavailable. */
  readonly grpcCode?: number | undefined;
  /** How many requests or streams it meets, 1 by default; `Infinity` until it is undone. */
  readonly times?: number | undefined;
}

/** A fault as the mock keeps it: checked, and with its answer made. */
export interface ScriptedFault extends RequestFault {
  readonly evaluation: boolean;
  /** The stream that it breaks, after so many messages, with this code. */
  readonly stream: { readonly method: PoolMethod; readonly after: number; readonly code: GrpcCode } | undefined;
  readonly matches: Matches;
  /** For errors. */
  readonly name: string;
  left: number;
  used: boolean;
}

const streams = poolKinds.flatMap((kind): PoolMethod[] => Object.values(poolMethods[kind]));

/** A number that `accepts` takes. */
const numberWhere = (accepted: string, accepts: (value: number) => boolean) =>
  accepting<number>(accepted, (value) => typeof value === 'number' && accepts(value));

const readFaultFields = optionsOf({
  ...filterReaders,
  status: numberWhere('a status from 200 to 599', (value) => Number.isInteger(value) && value >= 200 && value <= 599),
  body: asGiven,
  headers: asGiven,
  delayMs: numberWhere('milliseconds from 0 to 2147483647', (value) => value >= 0 && value <= 2_147_483_647),
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

/** Refuses what would be ignored, or could never happen. */
function checkFields(fault: MockFault, { authorization, central }: Settings): void {
  const { status, delayMs, drop, evaluation, stream } = fault;
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
    // The gate of createToken asks the policies whatever the type is.
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
    if (delayMs === undefined) {
      throw new InvalidArgumentError(
        'fault',
        'expected one of status, delayMs, drop, evaluation or stream, or it does nothing',
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

/** Which stream breaks, and how. */
function readStream({ stream: method, after = 0, grpcCode }: MockFault): ScriptedFault['stream'] {
  if (method === undefined) return undefined;
  if (!isGrpcCode(grpcCode)) throw expected('grpcCode', 'a gRPC code from 1 to 16 with the stream', grpcCode);
  return { method, after, code: grpcCode };
}

/** The scripted answer; made now, so that nothing of the caller's is kept and what cannot be sent is refused here. */
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
  const { status, delayMs, drop, evaluation, stream, grpcCode } = fault;
  if (evaluation === true) return 'evaluation';
  if (stream !== undefined) return `${stream} (gRPC code ${grpcCode})`;
  const what = drop === true ? 'drop' : status === undefined ? `delay ${delayMs} ms` : `status ${status}`;
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
    reply: scriptReply(fault),
    name: nameOf(fault),
    left: fault.times ?? 1,
    used: false,
  };
}
