import { AbortError, InvalidArgumentError, locate } from '../errors.js';
import { asyncDispose, withResolvers } from '../platform.js';
import { encodeBody } from './body.js';
import type { Clock, Credentials } from './credentials.js';
import { startDeadline } from './deadline.js';
import { exchange, type PreparedCall, type Surroundings } from './exchange.js';
import { type HeaderLayer, mergeHeaders } from './headers.js';
import { kyTransport } from './ky-transport.js';
import {
  type CallOptions,
  type ConnectionOptions,
  connectionReaders,
  type ReadOptions,
  readOptions,
  type Settings,
} from './options.js';
import type { RouteResponse } from './response.js';
import { retriesFor } from './retry.js';
import { openTransport } from './transport.js';
import { type Base, buildUrl, encodeSegment, parseBase } from './url.js';

/** What a route or a service client asks of a connection. Paths and queries are already encoded. */
export interface Call {
  /** Any case. What is no method is refused. */
  readonly method: unknown;
  /** What the path is below: the database (default), the root of `url`, or a service's base URL. */
  readonly base?: 'database' | 'root' | 'integration' | 'management';
  /** Encoded; empty or with a slash in front. */
  readonly path: string;
  /** Encoded, without `?`. */
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: HeaderLayer;
  readonly options?: CallOptions;
  /** It changes nothing on the server, so it is retried like a GET. */
  readonly readOnly?: boolean;
  /** Its answer may hold a secret, so errors keep nothing of it, and no message of it that quotes one of these texts. */
  readonly confidential?: readonly string[];
  /** A redirect is the answer: neither followed nor an error. */
  readonly redirects?: boolean;
}

// A token of RFC 9110; fetch cannot send the methods that are left out.
const methodName = /^(?!(connect|trace|track)$)[\w!#$%&'*+\-.^`|~]+$/i;

/** What the connections to the databases of one client share. */
interface Shared extends Surroundings {
  readonly settings: Settings;
  readonly closeTransport: () => Promise<void>;
  /** How many calls are under way. */
  calls: number;
  closed?: PromiseWithResolvers<void>;
}

/** A deployment, a database in it and how calls to it are sent. The only way from this package to the network. */
export class Connection {
  /** The name of the database. */
  readonly database: string;
  readonly #shared: Shared;
  readonly #credentials: Credentials | undefined;
  readonly #databasePath: string;

  /** @throws InvalidArgumentError naming the option. */
  constructor(options: ConnectionOptions);
  /** @internal */
  constructor(own: Pick<ConnectionOptions, 'database' | 'credentials'>, shared: Shared);
  constructor(options: Partial<ConnectionOptions>, shared?: Shared) {
    const given = shared ? options : readOptions(options, connectionReaders);
    // Only what is left out of a connection's own options has a default.
    const { database = shared ? '' : '_system', credentials } = given;
    this.database = database;
    this.#databasePath = `/_db/${encodeSegment(database, 'database')}`;
    this.#credentials = credentials;
    if (shared) {
      this.#shared = shared;
      return;
    }
    const { url = parseBase(undefined, 'url'), ...settings } = given as ReadOptions<typeof connectionReaders>;
    // One for all databases: credentials know by it which token is this deployment's.
    if (settings.transport && settings.fetch) {
      throw new InvalidArgumentError('transport', 'cannot be combined with fetch: a transport sends by itself');
    }
    const context = { clock: settings.clock ?? performance, connection: this as Connection };
    const transport = settings.transport ?? kyTransport(settings.fetch);
    this.#shared = {
      settings: { ...settings, url },
      transport,
      closeTransport: openTransport(transport),
      context,
      calls: 0,
    };
    context.connection = this.anonymous();
  }

  /** The same deployment, another database. @throws InvalidArgumentError for an empty name, `.` and `..`. */
  withDatabase(database: string): Connection {
    return new Connection({ database, credentials: this.#credentials }, this.#shared);
  }

  /** The same deployment without credentials, for calls that have tokens made. */
  anonymous(): Connection {
    return this.withCredentials(undefined);
  }

  /** @internal The same deployment, called by others. */
  withCredentials(credentials: Credentials | undefined): Connection {
    return new Connection({ database: this.database, credentials }, this.#shared);
  }

  /** @internal What token lifetimes are counted with. */
  get clock(): Clock {
    return this.#shared.context.clock;
  }

  /** @internal What the credentials hold now; nothing is asked of the server for it. */
  async held(): Promise<string | undefined> {
    return this.#credentials?.held?.(this.#shared.context);
  }

  /** @internal Has the credentials forget the token of this deployment. */
  forget(): void {
    this.#credentials?.forget?.(this.#shared.context);
  }

  /**
   * Refuses further calls and forgets the tokens that the credentials hold; calls under way are not cut. Once they have ended,
   * the transport is closed, unless other connections use it; then the promise is fulfilled.
   */
  close(): Promise<void> {
    const shared = this.#shared;
    if (shared.closed === undefined) {
      shared.closed = withResolvers();
      this.forget();
      this.#settle();
    }
    return shared.closed.promise;
  }

  /** For `await using`: `close`. */
  [asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Sends a call, with what `read` makes of the caller's arguments; what that refuses names the call. Always answers with a
   * promise; every failure is an error of this package.
   */
  async send(call: Call, read?: () => Partial<Call>): Promise<RouteResponse> {
    const shared = this.#shared;
    const { settings } = shared;
    const prepared = this.#prepare(call, read);
    const { site, options = {} } = prepared;
    if (shared.closed) throw new AbortError(site, 'the client is closed');
    const timeout = options.timeout ?? settings.timeout ?? 0;
    const signals = [settings.signal, options.signal].filter((signal) => signal !== undefined);
    const deadline = timeout === 0 && signals.length === 0 ? undefined : startDeadline(site, timeout, signals);
    let response: RouteResponse | undefined;
    shared.calls++;
    try {
      deadline?.signal.throwIfAborted();
      const exchanged = exchange(prepared, shared, deadline);
      response = await (deadline ? deadline.race(exchanged) : exchanged);
      return response;
    } finally {
      // A stream goes on under the deadline and releases it at its end.
      if (deadline && !(response?.body instanceof ReadableStream)) deadline.release();
      shared.calls--;
      this.#settle();
    }
  }

  /** Closes the transport when nothing goes over it any more. */
  #settle(): void {
    const { calls, closed, closeTransport } = this.#shared;
    if (calls === 0) closed?.resolve(closeTransport());
  }

  /** Where a path is, for messages. */
  pathOf(path: string, base?: Call['base']): string {
    return this.#locate(path, base)[1];
  }

  #prepare(first: Call, read?: () => Partial<Call>): PreparedCall {
    const { settings } = this.#shared;
    const valid = typeof first.method === 'string' && methodName.test(first.method);
    const method = valid ? String(first.method).toUpperCase() : 'request';
    const site = { method, path: this.pathOf(first.path, first.base) };
    return locate(site, () => {
      if (!valid) {
        const accepted = 'expected an HTTP method like "GET" or "PATCH", but not CONNECT, TRACE or TRACK';
        throw new InvalidArgumentError('method', accepted);
      }
      const call = { ...first, ...read?.() };
      const { options = {} } = call;
      const [base, path] = this.#locate(call.path, call.base);
      const url = buildUrl(base, path, call.query ?? '');
      const merged = mergeHeaders(settings.headers, call.headers);
      const headers: Record<string, string> = {};
      for (const [name, value] of merged) if (value !== null) headers[name] = value;
      const body = encodeBody(call.body, headers, (settings.fetch ?? settings.transport) !== undefined);
      if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
        throw new InvalidArgumentError('body', `${method} cannot have a body; send it with POST, PUT or PATCH`);
      }
      if (options.schema && options.responseType === 'stream') {
        throw new InvalidArgumentError('schema', 'cannot validate a stream');
      }
      return {
        ...call,
        site: { method, path },
        url,
        headers,
        body,
        retries: retriesFor(method, call.readOnly, options.retry ?? settings.retry),
        // A caller's own header wins, and null sends the call without credentials.
        credentials: merged.has('authorization') ? undefined : this.#credentials,
      };
    });
  }

  #locate(path: string, kind: Call['base'] = 'database'): [base: Base, path: string] {
    const { url, integrationUrl = url, managementUrl = url } = this.#shared.settings;
    const base = kind === 'integration' ? integrationUrl : kind === 'management' ? managementUrl : url;
    const below = kind === 'database' ? this.#databasePath : '';
    return [base, base.prefix + below + path || '/'];
  }
}
