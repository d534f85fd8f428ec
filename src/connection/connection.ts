import { platform } from '#platform';
import { AbortError, InvalidArgumentError } from '../errors.js';
import { closeOnDispose, type Resolvers, withResolvers } from '../lib/fallbacks.js';
import { optionsOf, type ReadOptions, readArgument, readFields, readWith } from '../lib/readers.js';
import { AbortListeners } from './abort-listeners.js';
import { encodeBody } from './body.js';
import { type Call, type NamedCall, prepareCall, readMethod } from './call.js';
import type { AuthorizedSender, Credentials, WaitUntil } from './credentials.js';
import { startDeadline } from './deadline.js';
import { exchange, type PreparedCall, type Surroundings } from './exchange.js';
import { quietly } from './failure.js';
import { mergeHeaders } from './headers.js';
import { kyTransport } from './ky-transport.js';
import {
  type ConnectionChanges,
  type ConnectionOptions,
  connectionReaders,
  readChanges,
  readDatabase,
  type Settings,
} from './options.js';
import type { RouteResponse } from './response.js';
import { retriesFor } from './retry.js';
import { openTransport } from './transport.js';
import { type Base, buildUrl, readBase } from './url.js';

const readConnectionOptions = optionsOf(connectionReaders);

/** What is shared by all connections that were derived from one: to other databases, or with other credentials. */
interface Shared extends Surroundings {
  readonly settings: Pick<Settings, 'url' | 'integrationUrl' | 'managementUrl' | 'observe'>;
  /** Whether the caller's own fetch or transport sends. */
  readonly ownFetch: boolean;
  readonly closeTransport: () => Promise<void>;
  readonly listeners: AbortListeners;
  /** How many calls are under way. */
  calls: number;
  closed?: Resolvers<void>;
}

/** Connections end with the one that they were made from. */
interface Lifetime {
  ended: boolean;
  readonly parent?: Lifetime;
}

/** What a connection has for itself. */
interface Own extends ReadOptions<Pick<typeof connectionReaders, 'credentials' | 'headers' | 'timeout' | 'retry'>> {
  readonly database: string;
  /** They add up: each of them cancels. */
  readonly signals: readonly AbortSignal[];
  readonly waitUntil?: WaitUntil | undefined;
  /** Whether credentials ask for tokens over it, also for the calls that a closed client has under way. */
  readonly isForCredentials?: boolean;
  readonly lifetime: Lifetime;
}

/** The options of a connection that shares its deployment with another one. */
class Derived implements ConnectionOptions {
  readonly url: string;
  readonly shared: Shared;
  readonly own: Own;

  constructor(shared: Shared, own: Own) {
    this.url = shared.settings.url.origin;
    this.shared = shared;
    this.own = own;
  }
}

/**
 * A deployment, one of its databases, and how calls to it are sent. Everything that this package sends goes through
 * `send`. `createClient` makes a connection of its own; who bundles for a browser and needs no more than routes can
 * begin here.
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
  /** Does what `close` does, for `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
  readonly #shared: Shared;
  readonly #own: Own;
  readonly #databasePath: string;

  /** @throws InvalidArgumentError naming the option. */
  constructor(options: ConnectionOptions) {
    if (options instanceof Derived) {
      this.#shared = options.shared;
      this.#own = options.own;
    } else {
      platform.check?.();
      const settings = readFields(options, 'options', readConnectionOptions);
      const { database = '_system', signal, credentials, headers, timeout, retry } = settings;
      const signals = signal === undefined ? [] : [signal];
      this.#own = { database, credentials, headers, timeout, retry, signals, lifetime: { ended: false } };
      this.#shared = this.#open(settings);
    }
    this.#databasePath = `/_db/${encodeURIComponent(this.#own.database)}`;
    closeOnDispose(this);
  }

  /** The name of the database. */
  get database(): string {
    return this.#own.database;
  }

  /**
   * Gives a connection to another database of the same deployment.
   *
   * @throws InvalidArgumentError for a name that is no path segment: empty, `.` or `..`.
   */
  withDatabase(name: string): Connection {
    return this.#derive({ database: readArgument(name, 'database', readDatabase) });
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
    return this.#derive({ credentials });
  }

  /**
   * A connection that shares everything with this one but what is given; `undefined` removes. Headers are merged,
   * signals add up. Closing it ends nothing else.
   * @throws InvalidArgumentError naming the option.
   */
  with(options: ConnectionChanges): Connection {
    const { signal, headers, ...given } = readFields(options, 'options', readChanges);
    const own = this.#own;
    return this.#derive({
      ...given,
      database: given.database ?? own.database,
      headers: mergeHeaders(own.headers, headers),
      signals: signal === undefined ? own.signals : [...own.signals, signal],
      lifetime: { ended: false, parent: own.lifetime },
    });
  }

  /** Gives the `Authorization` header that the credentials hold now, or undefined. The server is not asked for one. */
  async currentToken(): Promise<string | undefined> {
    const { credentials } = this.#own;
    return (credentials?.currentToken ?? credentials?.held)?.call(credentials, this.#shared.context);
  }

  /** Has the credentials forget their token of this deployment. */
  forget(): void {
    this.#own.credentials?.forget?.(this.#shared.context);
  }

  /**
   * Refuses further calls; calls under way are not cut, their retries and the renewals that they need included. Once
   * they have ended, the credentials forget their tokens and the transport is closed, unless other connections use
   * it; then the promise is fulfilled. A connection that was made by `with` only ends itself.
   */
  async close(): Promise<void> {
    const { lifetime } = this.#own;
    const shared = this.#shared;
    lifetime.ended = true;
    if (lifetime.parent !== undefined) return;
    if (shared.closed === undefined) {
      shared.closed = withResolvers();
      this.#settle();
    }
    await shared.closed.promise;
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
    const own = this.#own;
    const prepared = this.#prepare(call);
    const { site, options = {} } = prepared;
    if (this.#isClosed()) throw new AbortError(site, 'the client is closed');
    const timeout = options.timeout ?? own.timeout ?? 0;
    const signals = options.signal === undefined ? own.signals : [...own.signals, options.signal];
    const deadline =
      timeout === 0 && signals.length === 0 ? undefined : startDeadline(site, timeout, signals, shared.listeners);
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

  /**
   * Gives what errors name a call by: its method in upper case (`request` for what is no method), its path and its
   * origin.
   */
  nameOf({ method, path, base }: Pick<Call, 'method' | 'path' | 'base'>): NamedCall {
    const { value, issues } = readWith(method, readMethod);
    const [{ origin }, place] = this.#place(path, base);
    return { method: issues.length === 0 ? value : 'request', path: place, origin };
  }

  /** A connection that differs from this one in what is given. */
  #derive(changes: Partial<Own>): Connection {
    return new Connection(new Derived(this.#shared, { ...this.#own, ...changes }));
  }

  /** Whether this connection was closed, or one that it was made from. */
  #isClosed(): boolean {
    const { lifetime, isForCredentials } = this.#own;
    // A call that is under way may still have to renew its token.
    if (isForCredentials && this.#shared.calls > 0) return false;
    for (let one: Lifetime | undefined = lifetime; one !== undefined; one = one.parent) if (one.ended) return true;
    return false;
  }

  /** Ends what a closed client holds when nothing is under way any more. */
  #settle(): void {
    const { calls, closed, closeTransport } = this.#shared;
    if (calls > 0 || closed === undefined) return;
    quietly(() => this.forget());
    closed.resolve(closeTransport());
  }

  #open(options: ReadOptions<typeof connectionReaders>): Shared {
    const { url = readArgument(undefined, 'url', readBase), integrationUrl, managementUrl, observe } = options;
    const { transport: given, fetch, ky } = options;
    if ((given && (fetch || ky)) || (fetch && ky)) {
      throw new InvalidArgumentError(given ? 'transport' : 'ky', 'only one of transport, ky and fetch can be set');
    }
    // One for all databases: credentials know by it which token is this deployment's.
    const context = { clock: options.clock ?? performance, connection: this as Connection };
    const transport = given ?? kyTransport(fetch, ky);
    const shared = {
      settings: { url, integrationUrl, managementUrl, observe },
      ownFetch: (fetch ?? given) !== undefined,
      transport,
      closeTransport: openTransport(transport),
      listeners: new AbortListeners(),
      context,
      calls: 0,
    };
    const own = { ...this.#own, credentials: undefined, isForCredentials: true };
    context.connection = new Connection(new Derived(shared, own));
    return shared;
  }

  /** Checks a call and encodes its parts. @throws InvalidArgumentError, which names the call. */
  #prepare(call: Call): PreparedCall {
    const { ownFetch } = this.#shared;
    const own = this.#own;
    const site = this.nameOf(call);
    const name = () => site;
    return prepareCall(name, () => {
      const method = site.method === 'request' ? readArgument(call.method, 'method', readMethod) : site.method;
      const { options = {} } = call;
      const [base, path] = this.#place(call.path, call.base);
      const url = buildUrl(base, path, call.query ?? '');
      const ownHeaders: Record<string, string> = {};
      const body = encodeBody(call.body, ownHeaders, ownFetch);
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
        headers: mergeHeaders(own.headers, call.headers),
        ownHeaders,
        body,
        retries: retriesFor(method, call.readOnly, options.retry ?? own.retry),
        credentials: own.credentials,
        waitUntil: own.waitUntil,
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
