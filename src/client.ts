import { Connection, openDeployment, readSettings } from './connection/connection.js';
import type { HeadersSource } from './connection/headers.js';
import { type ConnectionChanges, type ConnectionOptions, connectionReaders } from './connection/options.js';
import type { PathSegments } from './connection/url.js';
import { InvalidArgumentError } from './errors.js';
import { closeOnDispose } from './lib/fallbacks.js';
import { oneOf, optionsOf, readFlag, withMethods } from './lib/readers.js';
import type { LocalDecider } from './policy/decider.js';
import { Route } from './route.js';
import { AuthenticationClient } from './services/authentication/client.js';
import { AuthorizationClient, type AuthorizationOptions } from './services/authorization/client.js';

/** What {@link createClient} takes. */
export interface ClientOptions extends ConnectionOptions, AuthorizationOptions {
  /** No option: a mock and its server have their options in `connection`, as in `createClient(server.connection)`. */
  readonly connection?: never;
}

const readClientOptions = optionsOf({
  ...connectionReaders,
  batch: readFlag,
  replica: withMethods<LocalDecider>(
    'a replica, or another object with evaluate() and evaluateMany()',
    'evaluate',
    'evaluateMany',
  ),
  whenNotLive: oneOf('remote', 'serve', 'refuse'),
});

/** What a client is made of. */
interface ClientState {
  readonly connection: Connection;
  readonly options: AuthorizationOptions;
}

/** Reads the options, each of them once. */
function open(given: unknown): ClientState {
  if (Object(given).connection) throw new InvalidArgumentError('options', 'expected mock.connection, got mock');
  const { batch, replica, whenNotLive, ...settings } = readSettings(given, readClientOptions);
  return {
    connection: new Connection(undefined, openDeployment(settings)),
    options: { batch, replica, whenNotLive },
  };
}

/**
 * A client of a deployment: routes below one of its databases, and the services around it. {@link createClient} makes
 * one.
 *
 * @example
 * ```ts
 * await using client = createClient({ url: 'http://localhost:8529', database: 'shop' });
 * const { user } = await client.authentication.identity();
 * const { body } = await client.route('orders').get('open', { limit: 5 });
 * ```
 */
export class Client {
  /** Does what `close` does, for `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
  readonly #own: ClientState;
  #authentication: AuthenticationClient | undefined;
  #authorization: AuthorizationClient | undefined;

  /** Does what {@link createClient} does. */
  constructor(options: ClientOptions);
  /** @internal Takes what it is made of in place of options. */
  constructor(options: undefined, own: ClientState);
  constructor(options: ClientOptions | undefined, own = open(options)) {
    this.#own = own;
    closeOnDispose(this);
  }

  /** The authentication service: tokens, sessions, keys. */
  get authentication(): AuthenticationClient {
    this.#authentication ??= new AuthenticationClient(this.#own.connection);
    return this.#authentication;
  }

  /** The authorization service: decisions, and the management of policies, roles and bindings. */
  get authorization(): AuthorizationClient {
    this.#authorization ??= new AuthorizationClient(this.#own.connection, this.#own.options);
    return this.#authorization;
  }

  /**
   * Gives a route below the database; without arguments the database itself.
   *
   * @param path where the route begins, below the database.
   * @param headers sent with every request through the route. They may come first where there is no path.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a path that leaves the database, or a header that is not
   * valid.
   * @example
   * ```ts
   * const orders = client.route('orders', { 'x-tenant': 'acme' });
   * await orders.post({ item: 'book' });
   * ```
   */
  route(headers: HeadersSource): Route;
  route(path?: string | PathSegments, headers?: HeadersSource): Route;
  route(...args: unknown[]): Route {
    return new Route(this.#own.connection).route(...(args as [string?, HeadersSource?]));
  }

  /**
   * Gives a client with other credentials, another database, more headers, or limits of its own. It shares the
   * connection and the renewed tokens with this one and costs next to nothing: a server makes one for each request,
   * on behalf of whoever sent it. Signals add up, headers are merged, and `undefined` removes what was inherited.
   * Closing it ends nothing but itself.
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
   * @example
   * ```ts
   * import { createClient, credentials } from 'arango-services';
   *
   * const client = createClient({ url: 'http://localhost:8529' });
   * const onBehalfOf = (token: string) => client.with({ credentials: credentials.bearer(token) });
   * ```
   */
  with(options: ConnectionChanges): Client {
    return this.#over(this.#own.connection.with(options));
  }

  /**
   * Gives a client of another database of the same deployment. It shares everything else, also what `close` ends.
   *
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a name that is no path segment: empty, `.` or `..`.
   * @example
   * ```ts
   * const { body } = await client.database('archive').route('orders').get();
   * ```
   */
  database(name: string): Client {
    return this.#over(this.#own.connection.withDatabase(name));
  }

  /**
   * Ends the client: further calls are refused with `AbortError`, and its tokens are forgotten. Calls under way are
   * not cut.
   *
   * @returns a promise that is fulfilled once those calls, and the connections of the transport, have ended.
   */
  close(): Promise<void> {
    return this.#own.connection.close();
  }

  #over(connection: Connection): Client {
    return new Client(undefined, { ...this.#own, connection });
  }
}

/**
 * Makes a client of a deployment. Nothing is sent before the first call.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option that is wrong and what is accepted.
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
