import { Connection } from './connection/connection.js';
import type { HeadersSource } from './connection/headers.js';
import { type ConnectionChanges, type ConnectionOptions, connectionReaders } from './connection/options.js';
import type { PathSegments } from './connection/url.js';
import { closeOnDispose } from './lib/fallbacks.js';
import { optionsOf, readFields, readFlag } from './lib/readers.js';
import { Route } from './route.js';
import { AuthenticationClient } from './services/authentication/client.js';
import { AuthorizationClient, type AuthorizationOptions } from './services/authorization/client.js';

/** What `createClient` takes. */
export interface ClientOptions extends ConnectionOptions, AuthorizationOptions {
  /** No option: a mock and its server have their options in `connection`, as in `createClient(server.connection)`. */
  readonly connection?: never;
}

const readClientOptions = optionsOf({ ...connectionReaders, batch: readFlag });

/** A deployment's database and the services around it. */
export class Client {
  /** For `await using`: `close`. */
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
    const { batch } = readFields(options, 'options', readClientOptions);
    const { batch: _, ...own } = options;
    return new Client(new Connection(own), { batch });
  }

  /** Authentication V1: tokens, sessions and who somebody is. */
  get authentication(): AuthenticationClient {
    this.#authentication ??= new AuthenticationClient(this.#connection);
    return this.#authentication;
  }

  /** Authorization V1 and the management of policies, roles and bindings. */
  get authorization(): AuthorizationClient {
    this.#authorization ??= new AuthorizationClient(this.#connection, this.#options);
    return this.#authorization;
  }

  /** A route below the database; without arguments the database itself. @throws InvalidArgumentError for a path that leaves it. */
  route(headers: HeadersSource): Route;
  route(path?: string | PathSegments, headers?: HeadersSource): Route;
  route(...args: unknown[]): Route {
    return new Route(this.#connection).route(...(args as [string?, HeadersSource?]));
  }

  /**
   * This client with other credentials, another database, more headers, or limits of its own. It shares connection and renewed tokens with
   * this one and costs next to nothing: a server makes one for each request, on behalf of whoever sent it. Signals add up, headers are
   * merged, and `undefined` removes what was inherited. Closing it ends nothing but itself.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
   * @example
   * ```ts
   * import { createClient, credentials } from 'arango-services';
   *
   * const client = createClient({ url: 'http://localhost:8529' });
   * export const onBehalfOf = (token: string) => client.with({ credentials: credentials.bearer(token) });
   * ```
   */
  with(options: ConnectionChanges): Client {
    return new Client(this.#connection.with(options), this.#options);
  }

  /** The same deployment with another database. @throws InvalidArgumentError for an empty name, `.` and `..`. */
  database(name: string): Client {
    return new Client(this.#connection.withDatabase(name), this.#options);
  }

  /** Refuses further calls and forgets tokens; calls under way are not cut. Fulfilled once they, and the transport's connections, have ended. */
  close(): Promise<void> {
    return this.#connection.close();
  }
}

/**
 * A client of a deployment: `createClient({ url: 'http://localhost:8529', database: 'shop' })`.
 * @throws InvalidArgumentError naming the option that is wrong and what is accepted.
 */
export function createClient(options: ClientOptions): Client {
  return Client.create(options);
}
