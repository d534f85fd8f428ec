import type { KyInstance } from 'ky';
import { accepting, optionsOf, type Reader, type ReadOptions, refuse, withMethods } from '../lib/readers.js';
import type { Clock, Credentials, WaitUntil } from './credentials-contract.js';
import { signalOption, timeoutOption } from './deadline.js';
import type { FetchLike } from './fetch-transport.js';
import { type HeadersSource, readHeaders } from './headers.js';
import { readKy } from './own-ky.js';
import { retryOption } from './retry.js';
import { readTransport, type Transport } from './transport.js';
import { readBase, readSegment } from './url.js';

/** One attempt of a call, as `observe` hears of it. It never holds a header, a query or a body. */
export interface CallEvent {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  /** The HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The code of the error, where the attempt failed. */
  readonly code?: string | undefined;
  /** The origin that it went to. */
  readonly origin: string;
  /** From when there were credentials until the body was read, in milliseconds. */
  readonly durationMs: number;
  /** How long the credentials took, in milliseconds; about 0 where a token was there. */
  readonly credentialsMs: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The answer's `x-request-id`. */
  readonly requestId?: string | undefined;
}

/** Where a deployment is, and how it is called. */
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
  readonly headers?: HeadersSource | undefined;
  /** Credentials of every call; see `credentials`. Default none. */
  readonly credentials?: Credentials | undefined;
  /**
   * Milliseconds for a whole call: queue, retries, headers and body, also while a stream is sent or read. Default none;
   * 0 and Infinity mean none.
   */
  readonly timeout?: number | undefined;
  /** Cancels every call; a call's own signal is heard as well. */
  readonly signal?: AbortSignal | undefined;
  /** How often a failed read is tried again. Default 2; setting it includes PUT and DELETE, never POST and PATCH. */
  readonly retry?: number | undefined;
  /** Stands in for `globalThis.fetch`, which is looked up at call time. */
  readonly fetch?: FetchLike | undefined;
  /**
   * The caller's own instance of ky, whose hooks see and may change method, URL and headers; its retries and timeouts
   * do not count.
   */
  readonly ky?: KyInstance | undefined;
  /** How requests reach the network, instead of ky over `fetch`; it closes with the last client that uses it. */
  readonly transport?: Transport | undefined;
  /** Hears of each attempt. What it throws is ignored. */
  readonly observe?: ((event: CallEvent) => void) | undefined;
  /** The time that token lifetimes are counted with. Default monotonic. */
  readonly clock?: Clock | undefined;
}

/** Options of `client.with`; `undefined` removes an inherited one. */
export interface ConnectionChanges
  extends Pick<ConnectionOptions, 'database' | 'headers' | 'credentials' | 'timeout' | 'signal' | 'retry'> {
  /** Lets a token's renewal outlive the request that the client belongs to: `ctx.waitUntil` in Workers. */
  readonly waitUntil?: WaitUntil | undefined;
}

/** The name of a database, which has to be a path segment. */
export const readDatabase: Reader<string> = (value, reading) => {
  readSegment(value, reading);
  // The cast: a segment is made of nothing but text.
  return value as string;
};

const readFunction: Reader<never> = accepting('a function', (value) => typeof value === 'function');

const readAuthorizer = withMethods<Credentials>('an object with authorize()', 'authorize');
const readCredentials: Reader<Credentials> = (value, reading) =>
  Object(value).username ? refuse(reading, 'credentials.login({ … })', value) : readAuthorizer(value, reading);

/** How the options are read that a connection may have other ones of than the one that it was made from. */
const ownReaders = {
  database: readDatabase,
  headers: readHeaders,
  credentials: readCredentials,
  timeout: timeoutOption,
  signal: signalOption,
  retry: retryOption,
};

/** Reads what `connection.with` takes. */
export const readChanges = optionsOf({ ...ownReaders, waitUntil: readFunction as Reader<WaitUntil> });

/** How the options of a connection are read. */
export const connectionReaders = {
  url: readBase,
  ...ownReaders,
  integrationUrl: readBase,
  managementUrl: readBase,
  fetch: readFunction as Reader<FetchLike>,
  ky: readKy,
  transport: readTransport,
  observe: readFunction as Reader<(event: CallEvent) => void>,
  clock: withMethods<Clock>('an object with now()', 'now'),
};

/** Checked options of a connection. */
export type ReadConnectionOptions = ReadOptions<typeof connectionReaders>;
