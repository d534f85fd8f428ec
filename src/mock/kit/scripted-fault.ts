import { InvalidArgumentError } from '../../base/errors.js';
import { expected, optionsOf, type ReadersOf, readFields } from '../../base/lib/readers.js';
import type { PoolMethod } from '../../policy/pool/pool-items.js';
import type { Settings } from '../config/mock-config.js';
import { faultNeeds, faultReaders, type MockFault } from '../options/fault.js';
import type { RequestFault } from '../server/handle.js';
import { dropped, type GrpcCode, grpcCodeForStatus, isGrpcCode, json, type NeutralResponse } from '../wire/http.js';
import { encodeResponse, readResponseHeaders } from './custom-handler.js';
import { filterReaders, formatFilter, type Matches, matcherOf } from './match-request.js';

/** A checked fault, with its answer prepared. */
export interface ScriptedFault extends RequestFault {
  readonly evaluation: boolean;
  /** The stream to break, the number of messages before that, and the gRPC code of the failure. */
  readonly stream: { readonly method: PoolMethod; readonly after: number; readonly code: GrpcCode } | undefined;
  readonly matches: Matches;
  /** The description of the fault in errors. */
  readonly name: string;
  left: number;
  used: boolean;
}

export const readFaultFields = optionsOf({ ...filterReaders, ...faultReaders } satisfies ReadersOf<MockFault>);

/** The fields that a fault of these kinds may have. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  evaluation: ['times'],
  stream: ['after', 'grpcCode', 'times'],
  drop: ['method', 'path', 'delayMs', 'times'],
};

/** Rejects fields that would be ignored, and faults that could never happen. */
function checkFields(fault: MockFault, { authorization, central }: Settings): void {
  const names = Object.entries(fault).flatMap(([name, value]) => (value === undefined || value === false ? [] : name));
  for (const [kind, allowed] of Object.entries(kinds)) {
    const other = names.includes(kind) && names.find((name) => name !== kind && !allowed.includes(name));
    if (other) throw new InvalidArgumentError(other, `does nothing with ${kind}: expected only ${allowed.join(', ')}`);
  }
  const effects = ['status', 'delayMs', 'timeoutMs', ...Object.keys(kinds)];
  if (!names.some((name) => effects.includes(name))) {
    throw new InvalidArgumentError('fault', `expected one of ${effects.join(', ')}, or it does nothing`);
  }
  for (const [name, needs] of Object.entries(faultNeeds)) {
    if (names.includes(name) && !names.includes(needs)) {
      throw new InvalidArgumentError(name, `expected a ${needs} with it`);
    }
  }
  // createToken checks its permission by the policies, for any type.
  if (fault.evaluation && (authorization.type === 'always' || authorization.type === 'never') && !central) {
    throw new InvalidArgumentError('evaluation', `can never happen with type ${authorization.type}: expected central`);
  }
}

/** Reads which stream to break, and how. */
function readStream({ stream: method, after = 0, grpcCode }: MockFault): ScriptedFault['stream'] {
  if (method === undefined) return undefined;
  if (!isGrpcCode(grpcCode)) throw expected('grpcCode', 'a gRPC code from 1 to 16 with the stream', grpcCode);
  return { method, after, code: grpcCode };
}

/** Prepares the answer now, so that no caller objects are kept and invalid ones are rejected here. */
function scriptResponse({ drop, status, body, headers = {} }: MockFault): ScriptedFault['response'] {
  if (drop === true) return () => dropped;
  if (status === undefined) return () => undefined;
  let list: [string, string][];
  try {
    list = [...readResponseHeaders(headers)];
  } catch {
    throw new InvalidArgumentError('headers', 'expected an object of header values');
  }
  if (body !== undefined) {
    let response: NeutralResponse;
    try {
      response = encodeResponse({ status, headers, body });
    } catch {
      throw expected('body', 'a value that JSON can hold, text or bytes', body);
    }
    return () => response;
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

/** Reads a fault; throws InvalidArgumentError for one that does nothing or can never happen. */
export function readFault(fault: MockFault, settings: Settings): ScriptedFault {
  const read = readFields(fault, 'fault', readFaultFields);
  checkFields(fault, settings);
  return {
    evaluation: fault.evaluation === true,
    stream: readStream(fault),
    matches: matcherOf(read),
    delayMs: fault.delayMs,
    timeoutMs: fault.timeoutMs,
    response: scriptResponse(fault),
    name: nameOf(fault),
    left: fault.times ?? 1,
    used: false,
  };
}
