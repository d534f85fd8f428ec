import { platform } from '#platform';
import { Connection } from './connection/connection.js';
import type { HeadersSource } from './connection/headers.js';
import { type ConnectionChanges, type ConnectionOptions, connectionReaders } from './connection/options.js';
import type { PathSegments } from './connection/url.js';
import { InvalidArgumentError } from './errors.js';
import { closeOnDispose } from './lib/fallbacks.js';
import { oneOf, optionsOf, readFields, readFlag, withMethods } from './lib/readers.js';
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
  readonly #connection: Connection;
  readonly #options: AuthorizationOptions;
  #authentication: AuthenticationClient | undefined;
  #authorization: AuthorizationClient | undefined;

  private constructor(connection: Connection, options: AuthorizationOptions) {
    this.#connection = connection;
    this.#options = options;
    closeOnDispose(this);
  }

  /** @internal What `createClient` calls. */
  static create(options: ClientOptions): Client {
    platform.check?.();
    if (Object(options).connection) {
      throw new InvalidArgumentError('options', 'expected mock.connection, got mock');
    }
    const { batch, replica, whenNotLive } = readFields(options, 'options', readClientOptions);
    const { batch: _, replica: __, whenNotLive: ___, ...own } = options;
    return new Client(new Connection(own), { batch, replica, whenNotLive });
  }

  /** The authentication service: tokens, sessions, keys. */
  get authentication(): AuthenticationClient {
    this.#authentication ??= new AuthenticationClient(this.#connection);
    return this.#authentication;
  }

  /** The authorization service: decisions, and the management of policies, roles and bindings. */
  get authorization(): AuthorizationClient {
    this.#authorization ??= new AuthorizationClient(this.#connection, this.#options);
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
    return new Route(this.#connection).route(...(args as [string?, HeadersSource?]));
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
    return new Client(this.#connection.with(options), this.#options);
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
    return new Client(this.#connection.withDatabase(name), this.#options);
  }

  /**
   * Ends the client: further calls are refused with `AbortError`, and its tokens are forgotten. Calls under way are
   * not cut.
   *
   * @returns a promise that is fulfilled once those calls, and the connections of the transport, have ended.
   */
  close(): Promise<void> {
    return this.#connection.close();
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
  return Client.create(options);
}
