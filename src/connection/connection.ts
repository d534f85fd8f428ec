import type { Clock, Credentials, CredentialsContext } from '../credentials/credentials.js';
import { AbortError, InvalidArgumentError, locate } from '../errors.js';
import { encodeBody } from './body.js';
import { Deadline } from './deadline.js';
import { exchange, type PreparedCall } from './exchange.js';
import { type HeaderLayer, mergeHeaders, noHeaders } from './headers.js';
import { type CallOptions, type ConnectionOptions, connectionReaders, readOptions, type Settings } from './options.js';
import type { RouteResponse } from './response.js';
import { retriesFor } from './retry.js';
import { createTransport, type Transport } from './transport.js';
import { type Base, buildUrl, encodeSegment, parseBase } from './url.js';

/** What a route or a service client asks of a connection. Paths and queries are already encoded. */
export interface Call {
  readonly method: string;
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

const methodName = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

const monotonic: Clock = { now: () => performance.now() };

/** What the connections to the databases of one client share. */
class Shared {
  readonly settings: Settings;
  readonly transport: Transport;
  /** One for all databases: credentials know by it which token is this deployment's. */
  readonly context: CredentialsContext;
  closed = false;

  constructor(settings: Settings, database: string) {
    this.settings = settings;
    this.transport = createTransport(settings.fetch);
    this.context = {
      clock: settings.clock ?? monotonic,
      connection: new Connection(this, database, undefined),
    };
  }
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
  constructor(shared: Shared, database: string, credentials: Credentials | undefined);
  constructor(source: ConnectionOptions | Shared, database = '_system', credentials?: Credentials) {
    if (source instanceof Shared) {
      this.#shared = source;
      this.#credentials = credentials;
      this.database = database;
    } else {
      const { url = parseBase(undefined, 'url'), ...settings } = readOptions(source, connectionReaders);
      this.database = source.database ?? database;
      this.#shared = new Shared({ ...settings, url }, this.database);
      this.#credentials = settings.credentials;
    }
    this.#databasePath = `/_db/${encodeSegment(this.database, 'database')}`;
  }

  /** The same deployment, another database. @throws InvalidArgumentError for an empty name, `.` and `..`. */
  withDatabase(database: string): Connection {
    return new Connection(this.#shared, database, this.#credentials);
  }

  /** The same deployment without credentials, for calls that have tokens made. */
  anonymous(): Connection {
    return this.withCredentials(undefined);
  }

  /** @internal The same deployment, called by others. */
  withCredentials(credentials: Credentials | undefined): Connection {
    return credentials === this.#credentials ? this : new Connection(this.#shared, this.database, credentials);
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

  /** Refuses further calls and forgets the tokens that the credentials hold; calls under way are not cut. */
  close(): void {
    this.#shared.closed = true;
    this.forget();
  }

  /** Sends a call. Always answers with a promise; every failure is an error of this package. */
  async send(call: Call): Promise<RouteResponse> {
    const { settings } = this.#shared;
    const prepared = this.#prepare(call);
    if (this.#shared.closed) throw new AbortError(prepared.site, 'the client is closed');
    const timeout = call.options?.timeout ?? settings.timeout ?? 0;
    const signals = [settings.signal, call.options?.signal].filter((signal) => signal !== undefined);
    if (timeout === 0 && signals.length === 0) return exchange(prepared, this.#shared);

    const deadline = new Deadline(prepared.site, timeout, signals);
    let streaming = false;
    try {
      if (deadline.failure !== undefined) throw deadline.failure;
      const response = await deadline.race(exchange(prepared, this.#shared, deadline));
      streaming = response.body instanceof ReadableStream;
      return response;
    } finally {
      // A stream goes on under the deadline and releases it at its end.
      if (!streaming) deadline.release();
    }
  }

  /** Where a path is, for messages. */
  pathOf(path: string, base?: Call['base']): string {
    return this.#locate(path, base)[1];
  }

  #prepare(call: Call): PreparedCall {
    const { settings } = this.#shared;
    const { options = {} } = call;
    const [base, path] = this.#locate(call.path, call.base);
    const method = readMethod(call.method, path);
    const site = { method, path };
    const url = locate(site, () => buildUrl(base, path, call.query ?? ''));
    const body = locate(site, () => encodeBody(call.body));
    if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
      throw new InvalidArgumentError('body', `${method} cannot have a body; send it with POST, PUT or PATCH`, site);
    }
    if (options.schema !== undefined && options.responseType === 'stream') {
      throw new InvalidArgumentError('schema', 'cannot validate a stream', site);
    }
    const merged = mergeHeaders(settings.headers ?? noHeaders, call.headers ?? noHeaders);
    const headers: Record<string, string> = {};
    for (const [name, value] of merged) if (value !== null) headers[name] = value;
    if (body?.contentType !== undefined && headers['content-type'] === undefined) {
      headers['content-type'] = body.contentType;
    }
    return {
      site,
      url,
      headers,
      body,
      retries: retriesFor(method, call.readOnly, options.retry ?? settings.retry),
      schema: options.schema,
      responseType: options.responseType ?? 'auto',
      confidential: call.confidential,
      redirects: call.redirects ?? false,
      // The integration services know the scheme in lower case only (identity); services of others may know `Bearer` only.
      lowerScheme: call.base === 'integration',
      // A caller's own header wins, and null sends the call without credentials.
      credentials: merged.has('authorization') ? undefined : this.#credentials,
    };
  }

  #locate(path: string, kind: Call['base'] = 'database'): [base: Base, path: string] {
    const { url, integrationUrl = url, managementUrl = url } = this.#shared.settings;
    const base = kind === 'integration' ? integrationUrl : kind === 'management' ? managementUrl : url;
    const below = kind === 'database' ? this.#databasePath : '';
    return [base, base.prefix + below + path || '/'];
  }
}

/** A method as a message can show it: what is no method name could be anything. */
export function methodForMessages(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z]{1,20}$/.test(value) ? value.toUpperCase() : 'request';
}

function readMethod(value: unknown, path: string): string {
  const site = { method: methodForMessages(value), path };
  if (typeof value !== 'string' || !methodName.test(value)) {
    throw new InvalidArgumentError('method', 'expected an HTTP method like "GET" or "PATCH"', site);
  }
  const method = value.toUpperCase();
  if (method === 'CONNECT' || method === 'TRACE' || method === 'TRACK') {
    throw new InvalidArgumentError('method', 'CONNECT, TRACE and TRACK cannot be sent by fetch', site);
  }
  return method;
}
