import {
  type ArangoServicesError,
  type CallInfo,
  InvalidArgumentError,
  isArangoServicesError,
  type NeededPermission,
} from '../errors.js';
import { quietly } from '../lib/quietly.js';
import { listOf, wholeNumber, withMethods } from '../lib/readers.js';
import { signalOption, timeoutOption } from './deadline.js';
import type { HeaderLayer } from './headers.js';
import { type ResponseType, type RouteResponse, responseTypeOption } from './response.js';
import { retryOption } from './retry.js';
import { readSchema, type StandardSchema } from './schema.js';
import type { TransportResponse } from './transport.js';
import { discard } from './upload.js';

/** Options of one call, or of every call of a route. */
export interface CallOptions {
  /** Milliseconds for the whole call, the reading of a stream included; 0 and Infinity lift an inherited one. */
  readonly timeout?: number | undefined;
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How often a failure is tried again. POST and PATCH are never sent again, but getting their token is retried (503,
   * 429 or a broken connection), because nothing of the call was sent.
   */
  readonly retry?: number | undefined;
  /** Validates the body and gives it its type. */
  readonly schema?: StandardSchema | undefined;
  /** How the body is read. Default `auto`. */
  readonly responseType?: ResponseType | undefined;
  /**
   * Statuses that are answers and no errors, like `[404, 409]`: the call resolves with `ok: false` and the body as
   * the server wrote it, parsed and not validated. Retries and the renewal of a token after a 401 come first.
   */
  readonly allowStatus?: readonly number[] | undefined;
}

/** How the options of a call are read. */
export const callReaders = {
  timeout: timeoutOption,
  signal: signalOption,
  retry: retryOption,
  schema: readSchema,
  responseType: responseTypeOption,
  allowStatus: listOf(wholeNumber('a status', 304, 599)),
};

/** A call that can be sent: its path and its query are encoded. The rest is checked by {@link CallSender.send}. */
export interface Call {
  /** Case-insensitive. Invalid methods are rejected. */
  readonly method: unknown;
  /** The base of the path: the database (default), the root of `url`, or a service's base URL. */
  readonly base?: 'database' | 'root' | 'integration' | 'management';
  /** Encoded; empty or with a slash in front. */
  readonly path: string;
  /** Encoded, without `?`. */
  readonly query?: string;
  /** Encoded when the call is sent: JSON, unless it is a text, bytes, a form, a stream or a function that gives one. */
  readonly body?: unknown;
  readonly headers?: HeaderLayer | undefined;
  readonly options?: CallOptions;
  /** It changes nothing on the server, so it is retried like a GET. */
  readonly readOnly?: boolean;
  /**
   * Its answer may hold a secret, so errors keep nothing of it, and no message of it that quotes one of these texts.
   */
  readonly confidential?: readonly string[];
  /** The permission that the caller needs; an error names it after a 403. */
  readonly needs?: NeededPermission | undefined;
  /**
   * The bearer token that the call is sent with becomes the field `token` of its JSON body, which has other fields. A
   * 400 with the gRPC code 9 says that the token is not valid, and renews it like a 401.
   */
  readonly sendsOwnToken?: boolean;
  /** Reads the text of its JSON in place of the answer's own `text()`, where not every good answer will do. */
  readonly readText?: (response: TransportResponse, callInfo: CallInfo, confidential: boolean) => Promise<string>;
  /** A redirect is the answer: neither followed nor an error. */
  readonly redirects?: boolean;
}

/** The method, the path and the origin that errors name a call by. */
export interface NamedCall extends CallInfo {
  readonly method: string;
  readonly path: string;
  readonly origin: string;
}

/** Sends calls. Implemented by `Connection`. */
export interface CallSender {
  /** Sends a call. It never throws synchronously, and rejects with nothing but errors of this package. */
  send(call: Call): Promise<RouteResponse>;
  /** Returns the name of a call in errors: its method in upper case (`request` for an invalid one) and its path. */
  nameOf(call: Pick<Call, 'method' | 'path' | 'base'>): NamedCall;
}

/** A connection, as the constructors of routes and service clients take it. */
export const readSender = withMethods<CallSender>('a Connection', 'send');

// The characters that HTTP allows in a method; fetch cannot send the methods that are left out.
const methodName = /^(?!(connect|trace|track)$)[\w!#$%&'*+\-.^`|~]+$/i;

/** Reads a method, in upper case; undefined if it is invalid or `fetch` cannot send it. */
export const upperMethod = (value: unknown): string | undefined =>
  typeof value === 'string' && methodName.test(value) ? value.toUpperCase() : undefined;

/**
 * Runs what makes a call of its caller's arguments; `name` is asked for the call where they are refused, and `given`
 * for the arguments, whose streams are let go of.
 *
 * @throws InvalidArgumentError, which names the call, for what it refuses, and for whatever else it throws: that
 * comes from a getter, a proxy or a `toString` of the caller.
 */
export function prepareCall<T>(name: () => NamedCall, prepare: () => T, given?: () => unknown[]): T {
  try {
    return prepare();
  } catch (error) {
    quietly(() => given?.().forEach(discard));
    if (isArangoServicesError(error)) throw nameCall(error, name());
    // The message of an error that is not ours may quote a secret.
    throw new InvalidArgumentError('arguments', 'reading them threw', name());
  }
}

/** Has the refusal of an argument name the call, where it does not yet: who found it need not know the call. */
export function nameCall(error: ArangoServicesError, call: CallInfo): ArangoServicesError {
  if (!(error instanceof InvalidArgumentError) || error.method !== undefined) return error;
  return new InvalidArgumentError(error.field, error.problem, call);
}
