import { isArangoServicesError } from '../../base/arango-services-error.js';
import { causesOf } from '../../base/lib/causes.js';
import { showMessage } from '../../base/secrets/filter.js';
import { tlsFailure } from '../../client/runtimes/runtime-failure.js';

/** The last failure, without secrets. */
export interface ReplicaFailure {
  /** The name of the gRPC code (`UNAVAILABLE`), or the code of an error of this package (`CREDENTIALS`). */
  readonly code: string;
  /** The problem and, if known, how to solve it. */
  readonly message: string;
  readonly at: Date;
}

/** A failure with additional internal fields. */
export interface Failure extends ReplicaFailure {
  readonly grpcCode: number | undefined;
  /** True if a retry cannot succeed without a change elsewhere, so `ready` rejects at once. */
  readonly permanent: boolean;
}

export const outOfRangeCode = 11;
export const unauthenticatedCode = 16;
export const permissionDeniedCode = 7;
export const unimplementedCode = 12;
const unavailableCode = 14;

const names = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
/** gRPC codes that mean a permanent refusal: PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const refusals: ReadonlySet<number | undefined> = new Set([
  permissionDeniedCode,
  unimplementedCode,
  unauthenticatedCode,
]);

/** True if the service refuses the request permanently. */
export const isRefusal = ({ grpcCode }: Failure): boolean => refusals.has(grpcCode);

/** How to solve network failures, by the runtime's error code. */
const remedies: readonly (readonly [code: RegExp, remedy: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there; check host and port'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host is unknown'],
  [
    /^(ERR_HTTP2_ERROR|ERR_HTTP2_SESSION_ERROR|ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL|ECONNRESET|EPIPE)$/,
    'the server does not speak gRPC, or requires TLS; check the port, or set tls',
  ],
];

/** The gRPC code of an error, if it has one. */
export function grpcCodeOf(error: unknown): number | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'number' && code in names ? code : undefined;
}

const textOf = (error: unknown): string => {
  const { rawMessage, message } = Object(error) as { readonly rawMessage?: unknown; readonly message?: unknown };
  const text = [rawMessage, message].find((value) => typeof value === 'string');
  return text === undefined ? 'failed' : String(text);
};

/**
 * Keeps code and cause of a stream's error, and removes the authorization header of this stream from the message. The
 * header is passed in, because the credentials may have a newer one by now.
 */
export function hideHeader(error: unknown, authorization: string | undefined): unknown {
  if (isArangoServicesError(error)) return error;
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown };
  return Object.assign(new Error(showMessage(textOf(error), authorization), { cause }), { code });
}

/** Converts any thrown value to a failure without secrets; `origin` is the address of the services, if any. */
export function toReplicaFailure(error: unknown, origin: string | undefined): Failure {
  const at = new Date();
  if (isArangoServicesError(error)) {
    const permanent = error.code === 'INVALID_ARGUMENT' || error.code === 'REPLICA';
    return { code: error.code, message: showMessage(error.message), at, grpcCode: undefined, permanent };
  }
  const grpcCode = grpcCodeOf(error);
  const code = names[grpcCode ?? 2] ?? 'UNKNOWN';
  if (origin !== undefined) {
    const tls = tlsFailure(error, { origin });
    if (tls !== undefined) {
      const message = tls.message.replaceAll('nodeTransport(', 'createReplica(');
      return { code, message, at, grpcCode, permanent: true };
    }
    const cause = causesOf(error)
      .map(({ code }) => code)
      .find((code) => typeof code === 'string');
    const remedy = remedies.find(([pattern]) => cause !== undefined && pattern.test(cause))?.[1];
    if (remedy !== undefined)
      return { code, message: `${origin}: ${remedy} (${cause})`, at, grpcCode, permanent: false };
  }
  return { code, message: showMessage(textOf(error)), at, grpcCode, permanent: refusals.has(grpcCode) };
}

/** A failure that the replica detected itself. */
export function ownFailure(grpcCode: number, message: string): Failure {
  return { code: names[grpcCode] ?? 'UNKNOWN', message, at: new Date(), grpcCode, permanent: false };
}

/** Creates a gRPC error for a failure that the replica detected itself. */
class OwnGrpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The error for a stream that is silent for too long: DEADLINE_EXCEEDED. */
export class SilenceError extends OwnGrpcError {
  constructor(message: string) {
    super(4, message);
  }
}

/** The error for a connection or stream that ended: UNAVAILABLE. */
export const unavailable = (message: string): Error => new OwnGrpcError(unavailableCode, message);
