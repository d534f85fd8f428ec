import { AbortError, InvalidArgumentError } from '../errors.js';
import { asyncDispose, withResolvers } from '../lib/fallbacks.js';
import { optionsOf, type ReadOptions, readArgument, readFields, readWith } from '../lib/readers.js';
import { encodeBody } from './body.js';
import { type Call, type NamedCall, prepareCall, readMethod } from './call.js';
import type { AuthorizedSender, Credentials } from './credentials.js';
import { startDeadline } from './deadline.js';
import { exchange, type PreparedCall, type Surroundings } from './exchange.js';
import { mergeHeaders } from './headers.js';
import { kyTransport } from './ky-transport.js';
import { type ConnectionOptions, connectionReaders, readDatabase, type Settings } from './options.js';
import type { RouteResponse } from './response.js';
import { retriesFor } from './retry.js';
import { openTransport } from './transport.js';
import { type Base, buildUrl, readBase } from './url.js';

const readConnectionOptions = optionsOf(connectionReaders);

/** What is shared by all connections that were derived from one: to other databases, or with other credentials. */
interface Shared extends Surroundings {
  readonly settings: Settings;
  readonly closeTransport: () => Promise<void>;
  /** How many calls are under way. */
  calls: number;
  closed?: PromiseWithResolvers<void>;
}

/** The options of a connection that shares all but its database and its credentials with another one. */
class Derived implements ConnectionOptions {
  readonly url: string;
  readonly shared: Shared;
  readonly database: string;
  readonly credentials: Credentials | undefined;

  constructor(shared: Shared, database: string, credentials: Credentials | undefined) {
    this.url = shared.settings.url.origin;
    this.shared = shared;
    this.database = database;
    this.credentials = credentials;
  }
}

/**
 * A deployment, one of its databases, and how calls to it are sent. Everything that this package sends goes through `send`.
 * `createClient` makes a connection of its own; who bundles for a browser and needs no more than routes can begin here.
 *
 * @example
 * ```ts
 * import { Connection, Route } from 'arango-services';
 *
 * const connection = new Connection({ url: 'http://localhost:8529', database: 'shop' });
 * const { body } = await new Route(connection).get('orders');
 * ```
 */
export class Connection implements AuthorizedSender {
  /** The name of the database. */
  readonly database: string;
  readonly #shared: Shared;
  readonly #credentials: Credentials | undefined;
  readonly #databasePath: string;

  /** @throws InvalidArgumentError naming the option. */
  constructor(options: ConnectionOptions) {
    const own = options instanceof Derived ? options : readFields(options, 'options', readConnectionOptions);
    this.database = readArgument(own.database ?? '_system', 'database', readDatabase);
    this.#databasePath = `/_db/${encodeURIComponent(this.database)}`;
    this.#credentials = own.credentials;
    this.#shared = own instanceof Derived ? own.shared : this.#open(own);
  }

  /**
   * Gives a connection to another database of the same deployment.
   *
   * @throws InvalidArgumentError for a name that is no path segment: empty, `.` or `..`.
   */
  withDatabase(database: string): Connection {
    return new Connection(
      new Derived(this.#shared, readArgument(database, 'database', readDatabase), this.#credentials),
    );
  }

  /**
   * Gives a connection to the same database that calls with other credentials.
   *
   * @param credentials undefined: with none.
   * @example
   * ```ts
   * const asCaller = connection.withCredentials(credentials.bearer(token));
   * ```
   */
  withCredentials(credentials: Credentials | undefined): Connection {
    return new Connection(new Derived(this.#shared, this.database, credentials));
  }

  /** Gives the `Authorization` header that the credentials hold now, or undefined. The server is not asked for one. */
  async currentToken(): Promise<string | undefined> {
    const credentials = this.#credentials;
    return (credentials?.currentToken ?? credentials?.held)?.call(credentials, this.#shared.context);
  }

  /** Has the credentials forget their token of this deployment. */
  forget(): void {
    this.#credentials?.forget?.(this.#shared.context);
  }

  /**
   * Ends this connection and all that were derived from the same one: further calls are refused with `AbortError`, and the
   * credentials forget their tokens. Calls under way are not cut.
   *
   * @returns a promise that is fulfilled once those calls have ended and the transport is closed. A transport that other
   * connections use stays open.
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

  /** Does what {@link Connection.close} does, for `await using`. */
  [asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Sends a call. It never throws synchronously, and rejects with nothing but errors of this package.
   *
   * @example
   * ```ts
   * const { status } = await connection.send({ method: 'GET', base: 'root', path: '/_api/version' });
   * ```
   */
  async send(call: Call): Promise<RouteResponse> {
    const shared = this.#shared;
    const { settings } = shared;
    const prepared = this.#prepare(call);
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

  /** Gives what errors name a call by: its method in upper case (`request` for what is no method) and its path. */
  nameOf({ method, path, base }: Pick<Call, 'method' | 'path' | 'base'>): NamedCall {
    const { value, issues } = readWith(method, readMethod);
    return { method: issues.length === 0 ? value : 'request', path: this.#place(path, base)[1] };
  }

  /** Opens the transport of options that no connection was made with before. */
  #open({
    url = readArgument(undefined, 'url', readBase),
    ...settings
  }: ReadOptions<typeof connectionReaders>): Shared {
    const { transport: own, fetch, ky } = settings;
    if ((own && (fetch || ky)) || (fetch && ky)) {
      throw new InvalidArgumentError(own ? 'transport' : 'ky', 'only one of transport, ky and fetch can be set');
    }
    // One for all databases: credentials know by it which token is this deployment's.
    const context = { clock: settings.clock ?? performance, connection: this as Connection };
    const transport = own ?? kyTransport(fetch, ky);
    const shared = {
      settings: { ...settings, url },
      transport,
      closeTransport: openTransport(transport),
      context,
      calls: 0,
    };
    context.connection = new Connection(new Derived(shared, this.database, undefined));
    return shared;
  }

  /** Checks a call and encodes its parts. @throws InvalidArgumentError, which names the call. */
  #prepare(call: Call): PreparedCall {
    const { settings } = this.#shared;
    const site = this.nameOf(call);
    return prepareCall(site, () => {
      const method = readArgument(call.method, 'method', readMethod);
      const { options = {} } = call;
      const [base, path] = this.#place(call.path, call.base);
      const url = buildUrl(base, path, call.query ?? '');
      const ownHeaders: Record<string, string> = {};
      const body = encodeBody(call.body, ownHeaders, (settings.fetch ?? settings.transport) !== undefined);
      if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
        throw new InvalidArgumentError('body', `${method} cannot have a body; send it with POST, PUT or PATCH`);
      }
      if (options.schema && options.responseType === 'stream') {
        throw new InvalidArgumentError('schema', 'cannot validate a stream');
      }
      return {
        ...call,
        site,
        url,
        headers: mergeHeaders(settings.headers, call.headers),
        ownHeaders,
        body,
        retries: retriesFor(method, call.readOnly, options.retry ?? settings.retry),
        credentials: this.#credentials,
      };
    });
  }

  /** The base URL of a path, and the path below its origin. */
  #place(path: string, kind: Call['base'] = 'database'): [base: Base, path: string] {
    const { url, integrationUrl = url, managementUrl = url } = this.#shared.settings;
    const base = kind === 'integration' ? integrationUrl : kind === 'management' ? managementUrl : url;
    const below = kind === 'database' ? this.#databasePath : '';
    return [base, base.prefix + below + path || '/'];
  }
}
