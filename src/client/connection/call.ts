import { type ArangoServicesError, type CallInfo, isArangoServicesError } from '../../base/arango-services-error.js';
import { InvalidArgumentError, type NeededPermission } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import { anyText, listOf, type ReadersOf, wholeNumber, withMethods } from '../../base/lib/readers.js';
import { signalOption, timeoutOption } from './deadline.js';
import type { HeaderLayer } from './headers.js';
import { maxBytesOption, type ResponseType, type RouteResponse, responseTypeOption } from './response.js';
import { type IdempotencyKey, idempotencyOption, retryOption } from './retries.js';
import { readSchema, type StandardSchema } from './schema.js';
import { discard } from './stream.js';
import type { Transport, TransportResponse } from './transport.js';

/** Options of one call, or of every call of a route. */
export interface CallOptions {
  /**
   * The timeout of the whole call in milliseconds, including reading a stream; 0 and Infinity remove an inherited one.
   */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds without a byte from the server or, during an upload, without one that the server takes; 0 and Infinity
   * lift an inherited one.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The number of retries. POST and PATCH are resent only with an `idempotencyKey`, but their token request is retried
   * (503, 429 or a broken connection), because nothing of the call has been sent.
   */
  readonly retry?: number | undefined;
  /** Validates the body and determines its type. */
  readonly schema?: StandardSchema | undefined;
  /** How to read the body. Default `auto`. */
  readonly responseType?: ResponseType | undefined;
  /**
   * Statuses that are not errors, like `[404, 409]`: the call resolves with `ok: false` and the parsed body, which is
   * not validated. Retries and the renewal of a token after a 401 come first. `'all'`, for proxies, allows every
   * status, and returns redirects instead of following them.
   */
  readonly allowStatus?: readonly number[] | 'all' | undefined;
  /**
   * The maximum number of bytes of the body of a success, decompressed; a longer one is a ParseError, as a stream after
   * the last byte that fits. Default none.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Sends a key with POST and PATCH, the same in each attempt of a call, which are then retried like a GET: true for
   * 128 random bits, or the header and the key. Only for services that recognize a key. Default false.
   */
  readonly idempotencyKey?: boolean | IdempotencyKey | undefined;
  /** The name of the operation for `observe`, so that a label of a metric holds no id. */
  readonly operation?: string | undefined;
}

const readStatuses = listOf(wholeNumber('a status', 304, 599));

/** True if a status, or with 0 a redirect, is not an error of the call. */
export const allows = ({ allowStatus }: CallOptions = {}, status: number): boolean | undefined =>
  allowStatus === 'all' || allowStatus?.includes(status);

export const callReaders = {
  timeout: timeoutOption,
  idleTimeoutMs: timeoutOption,
  signal: signalOption,
  retry: retryOption,
  schema: readSchema,
  responseType: responseTypeOption,
  allowStatus: (value, reading) => (value === 'all' ? value : readStatuses(value, reading)),
  maxBytes: maxBytesOption,
  idempotencyKey: idempotencyOption,
  operation: anyText,
} satisfies ReadersOf<CallOptions>;

/** A call with encoded path and query. {@link CallSender.send} validates the rest. */
export interface Call {
  /** Case-insensitive. Invalid methods are rejected. */
  readonly method: unknown;
  /** The base of the path: the database (default), the root of `url`, or a service's base URL. */
  readonly base?: 'database' | 'root' | 'integration' | 'management';
  /** Encoded; empty or with a leading slash. */
  readonly path: string;
  /** Encoded, without `?`. */
  readonly query?: string;
  /**
   * Encoded when the call is sent: as JSON, unless it is a string, bytes, a form, a stream or a function that returns
   * one.
   */
  readonly body?: unknown;
  readonly headers?: HeaderLayer | undefined;
  readonly options?: CallOptions;
  /** True if the call changes nothing on the server, so it is retried like a GET. */
  readonly readOnly?: boolean;
  /** The response may contain secrets, so errors omit it, and also any message that quotes one of these texts. */
  readonly confidential?: readonly string[];
  /** @internal What only the service clients of this package set. */
  readonly service?: ServiceParts | undefined;
}

/** @internal The parts of a call that only the service clients set. */
interface ServiceParts {
  /** The permission that the caller needs; the error of a 403 names it. */
  readonly needs?: NeededPermission | undefined;
  /**
   * Adds the caller to the JSON body, for each attempt anew. A 400 with the gRPC code 9 then means that its token is
   * not valid, and renews it like a 401. Credentials without a header belong to a deployment without authentication,
   * which accepts an empty token: `Bearer `.
   */
  readonly addSelf?:
    | ((
        body: unknown,
        authorization: string,
        callInfo: CallInfo,
        identify?: () => string | undefined | Promise<string | undefined>,
      ) => Promise<string>)
    | undefined;
  /** Replaces the response's `text()`, to accept only some of the successful responses. */
  readonly readText?: (response: TransportResponse, callInfo: CallInfo, confidential: boolean) => Promise<string>;
}

/** The method, the path and the origin of a call, for errors. */
export interface NamedCall extends CallInfo {
  readonly method: string;
  readonly path: string;
  /** A transport with several addresses sets the one that it asks, also for a timeout meanwhile. */
  origin: string;
}

/** Sends calls. Implemented by `Connection`. */
export interface CallSender {
  /** Sends a call. It never throws synchronously, and rejects only with errors of this package. */
  send(call: Call): Promise<RouteResponse>;
  /** Returns the name of a call in errors: its method in upper case (`request` for an invalid one) and its path. */
  nameOf(call: Pick<Call, 'method' | 'path' | 'base'>): NamedCall;
  /** @internal Returns a sender with another transport, made of its own; `isCustom` is true for one of the caller. */
  over?(makeTransport: (transport: Transport, isCustom: boolean) => Transport): CallSender;
}

/** Reads the connection argument of the constructors of routes and service clients. */
export const readSender = withMethods<CallSender>('a Connection', 'send');

// The characters that HTTP allows in a method, without the methods that fetch cannot send.
const methodName = /^(?!(connect|trace|track)$)[\w!#$%&'*+\-.^`|~]+$/i;

/** Reads a method, in upper case; undefined if it is invalid or `fetch` cannot send it. */
export const upperMethod = (value: unknown): string | undefined =>
  typeof value === 'string' && methodName.test(value) ? value.toUpperCase() : undefined;

/** Reads a caller's arguments; if they are rejected, throws what `refused` makes of the error. */
export function nameErrors<T>(name: () => NamedCall, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw refused(error, name());
  }
}

/**
 * Names the call in the error of rejected arguments, and cancels the streams in `inputs`. Anything else thrown comes
 * from a getter, a proxy or a `toString` of the caller, and becomes an InvalidArgumentError.
 */
export function refused(error: unknown, call: CallInfo, inputs?: () => unknown[]): ArangoServicesError {
  quietly(() => inputs?.().forEach(discard));
  // The message of a foreign error may quote a secret.
  return isArangoServicesError(error)
    ? nameCall(error, call)
    : new InvalidArgumentError('arguments', 'reading threw', call);
}

/** Adds the call to the error of a rejected argument, unless it already names one. */
export function nameCall(error: ArangoServicesError, call: CallInfo): ArangoServicesError {
  if (!(error instanceof InvalidArgumentError) || error.method !== undefined) return error;
  return new InvalidArgumentError(error.field, error.problem, call);
}
