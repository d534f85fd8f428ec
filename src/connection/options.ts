import type { Clock, Credentials } from '../credentials/credentials.js';
import { describe, InvalidArgumentError } from '../errors.js';
import { readSignal, readTimeout } from './deadline.js';
import { type HeaderLayer, type HeadersInput, readHeaders } from './headers.js';
import { type ResponseType, readResponseType } from './response.js';
import { readRetry } from './retry.js';
import { readSchema, type StandardSchema } from './schema.js';
import type { FetchLike } from './transport.js';
import { type Base, parseBase } from './url.js';

/** One attempt of a call, as `observe` hears of it. It never holds a header, a query or a body. */
export interface CallEvent {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** The code of the error, where the attempt failed. */
  readonly code?: string;
  /** Until the body was read, in milliseconds. */
  readonly durationMs: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The answer's `x-request-id`. */
  readonly requestId?: string;
}

export interface ConnectionOptions {
  /** The deployment's base URL; a path prefix and a query are kept. */
  readonly url: string | URL;
  /** The database of the routes. Default `_system`. */
  readonly database?: string | undefined;
  /** Where the integration services are (a sidecar). Default `url`. */
  readonly integrationUrl?: string | URL | undefined;
  /** Where the management API is. Default `url`. */
  readonly managementUrl?: string | URL | undefined;
  /** Sent with every request; routes and calls override them. */
  readonly headers?: HeadersInput | undefined;
  /** Who calls; see `credentials`. Default nobody. */
  readonly credentials?: Credentials | undefined;
  /** Milliseconds for a whole call: queue, retries, headers and body. Default none; 0 and Infinity mean none. */
  readonly timeout?: number | undefined;
  /** Cancels every call; a call's own signal is heard as well. */
  readonly signal?: AbortSignal | undefined;
  /** How often a failed read is tried again. Default 2; setting it includes PUT and DELETE, never POST and PATCH. */
  readonly retry?: number | undefined;
  /** Stands in for `globalThis.fetch`, which is looked up at call time. */
  readonly fetch?: FetchLike | undefined;
  /** Hears of each attempt. What it throws is ignored. */
  readonly observe?: ((event: CallEvent) => void) | undefined;
  /** The time that token lifetimes are counted with. Default monotonic. */
  readonly clock?: Clock | undefined;
}

/** What one call, or every call of a route, may set. */
export interface CallOptions {
  /** Milliseconds for the whole call; 0 and Infinity lift an inherited one. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How often a failure is tried again; POST and PATCH are never retried. */
  readonly retry?: number | undefined;
  /** Validates the body and gives it its type. */
  readonly schema?: StandardSchema | undefined;
  /** How the body is read. Default `auto`. */
  readonly responseType?: ResponseType | undefined;
}

/** Checked options of a connection. */
export interface Settings {
  readonly bases: { readonly url: Base; readonly integration: Base; readonly management: Base };
  readonly headers: HeaderLayer;
  readonly credentials: Credentials | undefined;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly retry: number | undefined;
  readonly fetch: FetchLike | undefined;
  readonly observe: ((event: CallEvent) => void) | undefined;
  readonly clock: Clock;
}

const connectionOptions: ReadonlySet<string> = new Set([
  'url',
  'database',
  'integrationUrl',
  'managementUrl',
  'headers',
  'credentials',
  'timeout',
  'signal',
  'retry',
  'fetch',
  'observe',
  'clock',
]);
const monotonic: Clock = { now: () => performance.now() };

/** @throws InvalidArgumentError unless it is a plain object whose names are all known. */
export function checkOptions(
  value: unknown,
  known: ReadonlySet<string>,
  field: string,
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError(field, `expected an object, got ${describe(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (!known.has(name)) {
      throw new InvalidArgumentError(`${field}.${name}`, `unknown option; accepted are ${[...known].join(', ')}`);
    }
  }
  return value as Readonly<Record<string, unknown>>;
}

const given = <T>(value: unknown, read: (value: unknown, field: string) => T, field: string): T | undefined =>
  value === undefined ? undefined : read(value, field);

function readFunction<F>(value: unknown, field: string): F {
  if (typeof value !== 'function') throw new InvalidArgumentError(field, `expected a function, got ${describe(value)}`);
  return value as F;
}

/** An object with a method of that name. */
function readPart<T>(method: string) {
  return (value: unknown, field: string): T => {
    if (
      typeof value === 'object' &&
      value !== null &&
      typeof (value as Record<string, unknown>)[method] === 'function'
    ) {
      return value as T;
    }
    throw new InvalidArgumentError(field, `expected an object with ${method}(), got ${describe(value)}`);
  };
}

/** @throws InvalidArgumentError naming the option. */
export function readConnectionOptions(value: unknown): Settings {
  const options = checkOptions(value, connectionOptions, 'options');
  const url = parseBase(options.url, 'url');
  return {
    bases: {
      url,
      integration: given(options.integrationUrl, parseBase, 'integrationUrl') ?? url,
      management: given(options.managementUrl, parseBase, 'managementUrl') ?? url,
    },
    headers: readHeaders(options.headers),
    credentials: given(options.credentials, readPart<Credentials>('authorize'), 'credentials'),
    timeout: given(options.timeout, readTimeout, 'timeout') ?? 0,
    signal: given(options.signal, readSignal, 'signal'),
    retry: given(options.retry, readRetry, 'retry'),
    fetch: given(options.fetch, readFunction<FetchLike>, 'fetch'),
    observe: given(options.observe, readFunction<(event: CallEvent) => void>, 'observe'),
    clock: given(options.clock, readPart<Clock>('now'), 'clock') ?? monotonic,
  };
}

/** The five options of a call, checked; names are not checked here. @throws InvalidArgumentError naming the option. */
export function readCallOptions(options: Readonly<Record<string, unknown>>): CallOptions {
  const checked: { -readonly [K in keyof CallOptions]: CallOptions[K] } = {};
  if ('timeout' in options) checked.timeout = given(options.timeout, readTimeout, 'timeout');
  if ('signal' in options) checked.signal = given(options.signal, readSignal, 'signal');
  if ('retry' in options) checked.retry = given(options.retry, readRetry, 'retry');
  if ('schema' in options) checked.schema = given(options.schema, readSchema, 'schema');
  if ('responseType' in options) checked.responseType = given(options.responseType, readResponseType, 'responseType');
  return checked;
}
