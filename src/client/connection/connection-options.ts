import type { KyInstance } from 'ky';
import { readClock } from '../../base/lib/clock.js';
import {
  anyText,
  optionsOf,
  type Reader,
  type ReadersOf,
  type ReadOptions,
  readFlag,
  readFunction,
  refuse,
  withMethods,
} from '../../base/lib/readers.js';
import { readBase, readSegment } from '../../base/lib/url.js';
import type { Clock, Credentials, WaitUntil } from './credentials-contract.js';
import { msOption, signalOption, timeoutOption } from './deadline.js';
import { type FetchLike, readKy } from './fetch-transport.js';
import { type HeadersSource, readHeaders, readHeaderText } from './headers.js';
import { retryOption } from './retries.js';
import { readTransport, type Transport } from './transport.js';

/** One attempt of a call, as reported to `observe`. It never contains a header, a query or a body. */
export interface CallEvent {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /**
   * The option `operation` of the call, or the template of a typed route. A label for metrics: unlike `path`, it holds
   * no id.
   */
  readonly operation?: string | undefined;
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined;
  /** The code of the error, if the attempt failed. */
  readonly code?: string | undefined;
  /** The origin of the request. */
  readonly origin: string;
  /** The time from the credentials to the end of the body, in milliseconds. */
  readonly durationMs: number;
  /** The time to obtain the credentials, in milliseconds; about 0 if the token was cached. */
  readonly credentialsMs: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The response's `x-request-id`. */
  readonly requestId?: string | undefined;
}

/** The location of a deployment, and the options of calls. */
export interface ConnectionOptions {
  /** The deployment's base URL; a path prefix and a query are kept. */
  readonly url: string | URL;
  /** The database of the routes. Default `_system`. */
  readonly database?: string | undefined;
  /** The base URL of the integration services (a sidecar). Default `url`. */
  readonly integrationUrl?: string | URL | undefined;
  /** The base URL of the management API. Default `url`. */
  readonly managementUrl?: string | URL | undefined;
  /**
   * True if `url` is the deployment's gateway: login, logout and identity have short paths there, and the other calls
   * of the integration services need an `integrationUrl`. Default false.
   */
  readonly gateway?: boolean | undefined;
  /** Sent with every request; routes and calls override them. */
  readonly headers?: HeadersSource | undefined;
  /** Credentials of every call; see `credentials`. Default none. */
  readonly credentials?: Credentials | undefined;
  /**
   * The timeout of a whole call in milliseconds: queue, retries, headers and body, including a streamed one. Default
   * none; 0 and Infinity mean none.
   */
  readonly timeout?: number | undefined;
  /**
   * The longest time in milliseconds without a byte from the server or, during an upload, without one that the server
   * takes. Time in which the caller does not read, or its upload has nothing to send, does not count. Default none; 0
   * and Infinity mean none.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Aborts every call, in addition to a call's own signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The number of retries of a failed read. Default 2; if set, it also applies to PUT and DELETE, never to POST and
   * PATCH.
   */
  readonly retry?: number | undefined;
  /** Replaces `globalThis.fetch`, which is looked up at call time. */
  readonly fetch?: FetchLike | undefined;
  /**
   * The caller's own instance of ky. Its hooks may read and change method, URL and headers; its retries and timeouts
   * are ignored.
   */
  readonly ky?: KyInstance | undefined;
  /** A transport to use instead of ky over `fetch`; it is closed with the last client that uses it. */
  readonly transport?: Transport | undefined;
  /** Called with each attempt. Its errors are ignored. */
  readonly observe?: ((event: CallEvent) => void) | undefined;
  /** The clock for token lifetimes. Default monotonic. */
  readonly clock?: Clock | undefined;
  /** The default of `close({ graceMs })`, also for `await using`. Default 10 000. */
  readonly graceMs?: number | undefined;
}

/** Options of `client.close`. */
export interface CloseOptions {
  /**
   * Milliseconds in which calls and streams may finish before they are aborted; 0 aborts them at once, Infinity waits
   * for them. Default 10 000, and 0 with `mock.connection`.
   */
  readonly graceMs?: number | undefined;
}

export const readCloseOptions = optionsOf({ graceMs: msOption } satisfies ReadersOf<CloseOptions>);

/** Options of `client.freshToken`. */
export interface FreshTokenOptions {
  /**
   * A token that the deployment refused, with or without `Bearer `: the client's token, if it is another one by now,
   * else a new one. A source that issues the same token again gives that one. Default: none.
   */
  readonly after?: string | undefined;
}

export const readFreshTokenOptions = optionsOf({ after: anyText } satisfies ReadersOf<FreshTokenOptions>);

/** Options of `client.with`; `undefined` removes an inherited one. */
export interface ConnectionChanges
  extends Pick<
    ConnectionOptions,
    'database' | 'headers' | 'credentials' | 'timeout' | 'idleTimeoutMs' | 'signal' | 'retry' | 'observe'
  > {
  /** Sent as `x-request-id`: the id of the request that these calls belong to. */
  readonly requestId?: string | undefined;
  /** Lets a token's renewal outlive the request that the client belongs to: `ctx.waitUntil` in Workers. */
  readonly waitUntil?: WaitUntil | undefined;
}

/** Reads the name of a database, which must be a path segment. */
export const readDatabase: Reader<string> = (value, reading) => {
  readSegment(value, reading);
  // The cast: a segment was read from a string.
  return value as string;
};

const readAuthorizer = withMethods<Credentials>('an object with authorize()', 'authorize');
const readCredentials: Reader<Credentials> = (value, reading) =>
  Object(value).username ? refuse(reading, 'credentials.login({ … })', value) : readAuthorizer(value, reading);

/** Readers for the options that a derived connection may override. */
const ownReaders = {
  database: readDatabase,
  headers: readHeaders,
  credentials: readCredentials,
  timeout: timeoutOption,
  idleTimeoutMs: timeoutOption,
  signal: signalOption,
  retry: retryOption,
  observe: readFunction as Reader<(event: CallEvent) => void>,
} satisfies ReadersOf<Omit<ConnectionChanges, 'waitUntil' | 'requestId'>>;

export const readChanges = optionsOf({
  ...ownReaders,
  requestId: readHeaderText,
  waitUntil: readFunction as Reader<WaitUntil>,
} satisfies ReadersOf<ConnectionChanges>);

export const connectionReaders = {
  url: readBase,
  ...ownReaders,
  integrationUrl: readBase,
  managementUrl: readBase,
  gateway: readFlag,
  fetch: readFunction as Reader<FetchLike>,
  ky: readKy,
  transport: readTransport,
  clock: readClock,
  graceMs: msOption,
} satisfies ReadersOf<ConnectionOptions>;

/** Checked options of a connection. */
export type ReadConnectionOptions = ReadOptions<typeof connectionReaders>;
