import { accepting, expected, has, InvalidArgumentError } from '../errors.js';
import type { Clock, Credentials } from './credentials.js';
import { readSignal, readTimeout } from './deadline.js';
import { type HeadersInput, readHeaders } from './headers.js';
import type { FetchLike } from './ky-transport.js';
import { type ResponseType, readResponseType } from './response.js';
import { readRetry } from './retry.js';
import { readSchema, type StandardSchema } from './schema.js';
import { readTransport, type Transport } from './transport.js';
import { type Base, parseBase } from './url.js';

/** One attempt of a call, as `observe` hears of it. It never holds a header, a query or a body. */
export interface CallEvent {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /** The HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The code of the error, where the attempt failed. */
  readonly code?: string | undefined;
  /** Until the body was read, in milliseconds. */
  readonly durationMs: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The answer's `x-request-id`. */
  readonly requestId?: string | undefined;
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
  /** How requests reach the network, instead of ky over `fetch`; it closes with the last client that uses it. */
  readonly transport?: Transport | undefined;
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

/** Reads one option. @throws InvalidArgumentError naming `field`. */
export type OptionReader = (value: unknown, field: string) => unknown;
/** What readers make of options; those that were not given, or given as undefined, are undefined. */
export type ReadOptions<R> = {
  -readonly [K in keyof R]?: (R[K] extends (value: never, field: never) => infer T ? T : never) | undefined;
};

/**
 * Reads an object called `field` by a table of readers; its keys stay, so that `undefined` can remove what was inherited.
 * @throws InvalidArgumentError naming the option that is unknown or wrong.
 */
export function readOptions<R extends Readonly<Record<string, OptionReader>>>(
  value: unknown,
  readers: R,
  field = 'options',
  prefix = '',
): ReadOptions<R> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected(field, 'an object', value);
  const options: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    if (!Object.hasOwn(readers, name)) {
      throw new InvalidArgumentError(prefix + name, `unknown; accepted are ${Object.keys(readers).join(', ')}`);
    }
    options[name] = given === undefined ? undefined : readers[name]?.(given, prefix + name);
  }
  return options as ReadOptions<R>;
}

/** For what is read later, with its place. */
export const asGiven = <T>(value: unknown): T => value as T;

const isFunction = (value: unknown) => typeof value === 'function';

/** How the options of a call are read. */
export const callReaders = {
  timeout: readTimeout,
  signal: readSignal,
  retry: readRetry,
  schema: readSchema,
  responseType: readResponseType,
};

/** How the options of a connection are read. */
export const connectionReaders = {
  url: parseBase,
  database: asGiven<string>,
  integrationUrl: parseBase,
  managementUrl: parseBase,
  headers: readHeaders,
  credentials: accepting<Credentials>('an object with authorize()', (value) => has(value, 'authorize')),
  timeout: readTimeout,
  signal: readSignal,
  retry: readRetry,
  fetch: accepting<FetchLike>('a function', isFunction),
  transport: readTransport,
  observe: accepting<(event: CallEvent) => void>('a function', isFunction),
  clock: accepting<Clock>('an object with now()', (value) => has(value, 'now')),
};

/** Checked options of a connection. */
export type Settings = ReadOptions<Omit<typeof connectionReaders, 'database'>> & { readonly url: Base };
