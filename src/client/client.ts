import { Connection, openDeployment, readSettings } from './connection/connection.js';

// First, as in src/index.ts.

import { InvalidArgumentError } from '../base/errors.js';
import { closeOnDispose } from '../base/lib/fallbacks.js';
import {
  oneOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFlag,
  readFunction,
  withMethods,
} from '../base/lib/readers.js';
import type { OnDecision } from '../policy/decision-line/on-decision.js';
import type { LocalDecider } from '../policy/model/decider.js';
import {
  type CloseOptions,
  type ConnectionChanges,
  type ConnectionOptions,
  connectionReaders,
} from './connection/connection-options.js';
import type { HeadersSource } from './connection/headers.js';
import { type PathSegments, readSegment } from './connection/url.js';
import { Route, rootRoute } from './route.js';
import { AuthenticationClient } from './services/authentication/client.js';
import { AuthorizationClient, type AuthorizationOptions } from './services/authorization/client.js';

/** Options of {@link createClient}. */
export interface ClientOptions extends ConnectionOptions, AuthorizationOptions {
  /** Not an option: for a mock or its server, pass its `connection`, as in `createClient(server.connection)`. */
  readonly connection?: never;
}

/** Options of {@link Client.service}. */
export interface ServiceOptions {
  /** True for a service of the deployment instead of the database. Default false. */
  readonly global?: boolean | undefined;
}

export const readServiceOptions = optionsOf({ global: readFlag } satisfies ReadersOf<ServiceOptions>);

export const readClientOptions = optionsOf({
  ...connectionReaders,
  batch: readFlag,
  replica: withMethods<LocalDecider>(
    'a replica, or another object with evaluate() and evaluateMany()',
    'evaluate',
    'evaluateMany',
  ),
  whenNotLive: oneOf('remote', 'serve', 'refuse'),
  onDecision: readFunction as Reader<OnDecision>,
} satisfies ReadersOf<Omit<ClientOptions, 'connection'>>);

/** The connection, which derived clients may share, and the options of this client alone. */
interface ClientState {
  readonly connection: Connection;
  readonly options: AuthorizationOptions;
}

/** Reads each option once, and opens the connection. */
function open(given: unknown): ClientState {
  if (Object(given).connection) throw new InvalidArgumentError('options', 'expected mock.connection, got mock');
  const { batch, replica, whenNotLive, onDecision, ...settings } = readSettings(given, readClientOptions);
  return {
    connection: new Connection(undefined, openDeployment(settings)),
    options: { batch, replica, whenNotLive, onDecision },
  };
}

/**
 * A client for a deployment: routes below one of its databases, and the platform's services. Create it with
 * {@link createClient}.
 *
 * @example
 * ```ts
 * await using client = createClient({ url: 'http://localhost:8529', database: 'shop' });
 * const { user } = await client.authentication.identity();
 * const { body } = await client.route('orders').get('open', { limit: 5 });
 * ```
 */
export class Client {
  /** Calls `close`, for `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
  readonly #state: ClientState;
  #authentication: AuthenticationClient | undefined;
  #authorization: AuthorizationClient | undefined;

  /** Does the same as {@link createClient}. */
  constructor(options: ClientOptions);
  /** @internal Takes the state instead of options. */
  constructor(options: undefined, state: ClientState);
  constructor(options: ClientOptions | undefined, state = open(options)) {
    this.#state = state;
    closeOnDispose(this);
  }

  /** The authentication service: tokens, sessions, keys. */
  get authentication(): AuthenticationClient {
    this.#authentication ??= new AuthenticationClient(this.#state.connection);
    return this.#authentication;
  }

  /** The authorization service: decisions, and the management of policies, roles and bindings. */
  get authorization(): AuthorizationClient {
    this.#authorization ??= new AuthorizationClient(this.#state.connection, this.#state.options);
    return this.#authorization;
  }

  /**
   * Returns a route below the database; without arguments, the route of the database itself.
   *
   * @param path relative to the database.
   * @param headers sent with every request of the route. Without a path they may be the first argument.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a path that leaves the database, or an invalid header.
   * @example
   * ```ts
   * const orders = client.route('orders', { 'x-tenant': 'acme' });
   * await orders.post({ item: 'book' });
   * ```
   */
  route(headers: HeadersSource): Route;
  route(path?: string | PathSegments, headers?: HeadersSource): Route;
  route(...args: unknown[]): Route {
    return new Route(this.#state.connection).route(...(args as [string?, HeadersSource?]));
  }

  /**
   * Returns the route of a user-defined service behind the gateway: `/_service/uds/_db/<database>/<name>`, or with
   * `global` `/_service/uds/_global/<name>`. For a service that the database itself hosts (Foxx) use {@link route}.
   *
   * @param name the name of the service; one segment, encoded as a whole.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a name that is empty, `.` or `..`.
   * @example
   * ```ts
   * const orders = client.service('orders');
   * await orders.get(['items', 7]); // GET /_service/uds/_db/<database>/orders/items/7
   * const rates = client.service('rates', { global: true });
   * ```
   */
  service(name: string, options: ServiceOptions = {}): Route {
    const { connection } = this.#state;
    const { global } = readFields(options, 'options', readServiceOptions);
    readArgument(name, 'name', readSegment);
    const prefix = global ? ['_global'] : ['_db', connection.database];
    return rootRoute(connection, ['_service', 'uds', ...prefix, name]);
  }

  /**
   * Returns a route below the connection's URL, outside any database.
   *
   * @param path relative to the connection's URL, and required: the route does not leave it.
   * @param headers sent with every request of the route.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a path that is missing, empty or leaves the URL, or an
   * invalid header.
   * @example
   * ```ts
   * const files = client.absoluteRoute('/_platform/filemanager');
   * ```
   */
  absoluteRoute(path: string | PathSegments, headers?: HeadersSource): Route {
    return rootRoute(this.#state.connection, path, headers);
  }

  /**
   * Returns a client with other credentials, another database, more headers, or its own limits. It shares the
   * connection and the renewed tokens with this client and is cheap: a server can create one per request, on behalf of
   * its caller. Signals are combined, headers are merged, and `undefined` removes an inherited option. Closing the
   * derived client ends its own calls, and those of clients derived from it; this client stays open.
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
   * @example
   * ```ts
   * import { createClient, credentials } from 'arango-services';
   *
   * const client = createClient({ url: 'http://localhost:8529' });
   * const onBehalfOf = (token: string) => client.with({ credentials: credentials.bearer(token) });
   * ```
   */
  with(options: ConnectionChanges): Client {
    return this.#over(this.#state.connection.with(options));
  }

  /**
   * Returns a client for another database of the same deployment. It shares everything else: closing one closes both,
   * with the calls of both.
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a name that is not a path segment: empty, `.` or `..`.
   * @example
   * ```ts
   * const { body } = await client.database('archive').route('orders').get();
   * ```
   */
  database(name: string): Client {
    return this.#over(this.#state.connection.withDatabase(name));
  }

  /**
   * Returns a bearer token that stays valid for at least a minute, without `Bearer `, for another client of the same
   * deployment. It requests one if there is none. A token with a shorter lifetime is returned until its renewal is due;
   * those of `bearer` are returned as they are, and a session's while it lasts.
   *
   * @throws CredentialsError (code `CREDENTIALS`) if no token can be obtained or the credentials have none; AbortError
   * (code `ABORTED`) if the client is closed.
   * @example
   * ```ts
   * const token = await client.freshToken();
   * ```
   */
  freshToken(): Promise<string> {
    return this.#state.connection.freshToken();
  }

  /**
   * Calls a listener with each new token of this client's credentials, without `Bearer `, and returns a function that
   * ends this. It hears of the tokens of `login`, `minted`, `tokenFile` and `superuser` when calls or `freshToken`
   * request them; those of `bearer(fn)` are your function's. A listener that fails changes nothing.
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if the listener is not a function.
   * @example
   * ```ts
   * const stop = client.onToken((token) => console.log(token.length));
   * stop();
   * ```
   */
  onToken(listener: (token: string) => void): () => void {
    return this.#state.connection.onToken(listener);
  }

  /**
   * Closes the client, those of `database`, and those derived by `with`: further calls reject with `AbortError`. Calls
   * and streams in flight may finish within the grace of 10 s, including their retries and token renewals; then they
   * are aborted with an `AbortError`. At the end cached tokens are dropped. A client derived by `with` ends only its
   * own calls: tokens and connections remain for the others. A second `close` may shorten the grace.
   *
   * @returns a promise that resolves when no call and no stream is left and the transport's connections are closed.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
   * @example
   * ```ts
   * process.once('SIGTERM', () => client.close({ graceMs: 5_000 }));
   * ```
   */
  close(options?: CloseOptions): Promise<void> {
    return this.#state.connection.close(options);
  }

  #over(connection: Connection): Client {
    return new Client(undefined, { ...this.#state, connection });
  }
}

/**
 * Creates a client for a deployment. Nothing is sent before the first call.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option and what is accepted.
 * @example
 * ```ts
 * import { createClient, credentials } from 'arango-services';
 *
 * const client = createClient({
 *   url: 'http://localhost:8529',
 *   database: 'shop',
 *   credentials: credentials.login({ username: 'alice', password: 'secret' }),
 *   timeout: 10_000,
 * });
 * ```
 */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}
