import { AbortError, InvalidArgumentError } from '../errors.js';
import { asyncDispose, type Resolvers, withResolvers } from '../lib/fallbacks.js';
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

/** What the connections to the databases of one client share. */
interface Shared extends Surroundings {
  readonly settings: Settings;
  readonly closeTransport: () => Promise<void>;
  /** How many calls are under way. */
  calls: number;
  closed?: Resolvers<void>;
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

/** A deployment, a database in it and how calls to it are sent. The only way from this package to the network. */
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

  /** The same deployment, another database. @throws InvalidArgumentError for an empty name, `.` and `..`. */
  withDatabase(database: string): Connection {
    return new Connection(
      new Derived(this.#shared, readArgument(database, 'database', readDatabase), this.#credentials),
    );
  }

  /** The same deployment and database, called with other credentials; with none where they are undefined. */
  withCredentials(credentials: Credentials | undefined): Connection {
    return new Connection(new Derived(this.#shared, this.database, credentials));
  }

  /** The `Authorization` header that the credentials hold now, or undefined. Nothing is asked of the server for it. */
  async currentToken(): Promise<string | undefined> {
    const credentials = this.#credentials;
    return (credentials?.currentToken ?? credentials?.held)?.call(credentials, this.#shared.context);
  }

  /** Has the credentials forget the token of this deployment. */
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

  /** Sends a call. Always answers with a promise; every failure is an error of this package. */
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

  /** How errors name a call: its method in upper case (`request` for what is no method) and its path. */
  nameOf({ method, path, base }: Pick<Call, 'method' | 'path' | 'base'>): NamedCall {
    const { value, issues } = readWith(method, readMethod);
    return { method: issues.length === 0 ? value : 'request', path: this.#place(path, base)[1] };
  }

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
