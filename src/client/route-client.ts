import { Connection, openDeployment, readSettings } from './connection/connection.js';

// First, as in src/index.ts.

import { CredentialsError, InvalidArgumentError } from '../base/errors.js';
import { closeOnDispose } from '../base/lib/fallbacks.js';
import {
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFlag,
  readFunction,
} from '../base/lib/readers.js';
import { noBearerToken } from '../base/lib/sign-in-marks.js';
import { type PathSegments, readSegment } from '../base/lib/url.js';
import {
  type CloseOptions,
  type ConnectionChanges,
  type ConnectionOptions,
  connectionReaders,
  type FreshTokenOptions,
  type ReadConnectionOptions,
  readDatabase,
  readFreshTokenOptions,
} from './connection/connection-options.js';
import type { TokenListener } from './connection/credentials-contract.js';
import { within } from './connection/deadline.js';
import type { HeadersSource } from './connection/headers.js';
import { authorize, startDeadline } from './connection/prepared-call.js';
import { defaultRetries } from './connection/retries.js';
import { Route, rootRoute } from './route.js';

/** Options of {@link createRouteClient}. */
export interface RouteClientOptions extends ConnectionOptions {
  /** Not an option: for a mock or its server, pass its `connection`, as in `createClient(server.connection)`. */
  readonly connection?: never;
}

/** Options of {@link RouteClient.service}. */
export interface ServiceOptions {
  /** True for a service of the deployment instead of the database. Default false. */
  readonly global?: boolean | undefined;
}

export const readServiceOptions = optionsOf({ global: readFlag } satisfies ReadersOf<ServiceOptions>);

const readRouteClientOptions = optionsOf(connectionReaders);

/** Reads the options of a client, each once. */
export function readClientSettings<T>(settings: unknown, reader: Reader<T>): T {
  if (Object(settings).connection) throw new InvalidArgumentError('options', 'expected mock.connection, got mock');
  return readSettings(settings, reader);
}

const withoutScheme = (header: string | undefined) => header?.replace(/^bearer /i, '');

/** Opens the connection of a client. */
export const connect = (settings: ReadConnectionOptions): Connection =>
  new Connection(undefined, openDeployment(settings));

/**
 * A client of routes: the part of {@link Client} that needs none of the platform's services, for a page whose size
 * counts. Create it with {@link createRouteClient}.
 * @example
 * ```ts
 * import { createRouteClient } from 'arango-services/routes';
 *
 * await using client = createRouteClient({ url: 'http://localhost:8529', database: 'shop' });
 * const { body } = await client.route('orders').get('open', { limit: 5 });
 * ```
 */
export class RouteClient {
  /** Calls `close`, for `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
  readonly #connection: Connection;

  /** Does the same as {@link createRouteClient}. */
  constructor(options: RouteClientOptions);
  /** @internal Takes a connection instead of options. */
  constructor(options: undefined, connection: Connection);
  constructor(
    options: RouteClientOptions | undefined,
    connection = connect(readClientSettings(options, readRouteClientOptions)),
  ) {
    this.#connection = connection;
    closeOnDispose(this);
  }

  /**
   * Returns a route below the database; without arguments, the route of the database itself.
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
    return new Route(this.#connection).route(...(args as [string?, HeadersSource?]));
  }

  /**
   * Returns the route of a user-defined service behind the gateway: `/_service/uds/_db/<database>/<name>`, or with
   * `global` `/_service/uds/_global/<name>`. For a service that the database itself hosts (Foxx) use {@link route}.
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
    const connection = this.#connection;
    const { global } = readFields(options, 'options', readServiceOptions);
    readArgument(name, 'name', readSegment);
    const prefix = global ? ['_global'] : ['_db', connection.database];
    return rootRoute(connection, ['_service', 'uds', ...prefix, name]);
  }

  /**
   * Returns a route below the connection's URL, outside any database.
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
    return rootRoute(this.#connection, path, headers);
  }

  /**
   * Returns a client with other credentials, another database, more headers, or its own limits. It shares the
   * connection and the renewed tokens with this client and is cheap: a server can create one per request, on behalf of
   * its caller. Signals are combined, headers are merged, and `undefined` removes an inherited option. Closing the
   * derived client ends its own calls, and those of clients derived from it; this client stays open.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
   * @example
   * ```ts
   * import { createClient, credentials } from 'arango-services';
   *
   * const client = createClient({ url: 'http://localhost:8529' });
   * const onBehalfOf = (token: string) => client.with({ credentials: credentials.bearer(token) });
   * ```
   */
  with(options: ConnectionChanges): this {
    return this.over(this.#connection.with(options)) as this;
  }

  /**
   * Returns a client for another database of the same deployment: `client.with({ database: name })`.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a name that is not a path segment: empty, `.` or `..`.
   * @example
   * ```ts
   * const { body } = await client.database('archive').route('orders').get();
   * ```
   */
  database(name: string): this {
    readArgument(name, 'database', readDatabase);
    return this.with({ database: name });
  }

  /**
   * Returns a bearer token that stays valid for at least a minute, without `Bearer `, for another client of the same
   * deployment. It requests one if there is none. A token with a shorter lifetime is returned until its renewal is due;
   * those of `bearer` are returned as they are, and a session's while it lasts. The client's timeout, signal and
   * `close` apply to it as to a call.
   * @throws CredentialsError (code `CREDENTIALS`) if no token can be obtained or the credentials have none, or none but
   * `after`; TimeoutError (code `TIMEOUT`) after the client's timeout; AbortError (code `ABORTED`) if the client is
   * closed or its signal aborts; InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
   * @example
   * ```ts
   * const token = await client.freshToken();
   * const other = await client.freshToken({ after: token }); // after a 401 for `token`
   * ```
   */
  async freshToken(options: FreshTokenOptions = {}): Promise<string> {
    const { after } = readFields(options, 'options', readFreshTokenOptions);
    const { parts } = this.#connection;
    const { credentials, deployment, retry, waitUntil } = parts;
    const deadline = startDeadline({}, parts);
    const forToken = { waitUntil, retries: retry ?? defaultRetries, goodForMs: 60_000, deadline };
    const refused = after && `Bearer ${withoutScheme(after)}`;
    const call = { callInfo: {}, deployment, forToken };
    const value = await within(deadline, () => authorize(credentials, call, refused));
    const token = withoutScheme(value);
    if (token && token !== value && (value !== refused || credentials?.reject)) return token;
    throw new CredentialsError(after ? 'no other token' : noBearerToken);
  }

  /**
   * Calls a listener with each new token of this client's credentials, without `Bearer `, and returns a function that
   * ends this. It hears of the tokens of `login`, `minted`, `tokenFile` and `superuser` when calls or `freshToken`
   * request them; those of `bearer(fn)` are your function's. A listener that fails changes nothing.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if the listener is not a function.
   * @example
   * ```ts
   * const stop = client.onToken((token) => console.log(token.length));
   * stop();
   * ```
   */
  onToken(listener: (token: string) => void): () => void {
    const { credentials, deployment } = this.#connection.parts;
    const callback = readArgument(listener, 'listener', readFunction as Reader<TokenListener>);
    return credentials?.onToken?.(deployment.context, callback) ?? (() => undefined);
  }

  /**
   * Closes the client, and those derived by `with` or `database`: further calls reject with `AbortError`. Calls
   * and streams in flight may finish within the grace of 10 s, including their retries and token renewals; then they
   * are aborted with an `AbortError`. At the end cached tokens are dropped. A derived client ends only its
   * own calls: tokens and connections remain for the others. A second `close` may shorten the grace.
   * @returns a promise that resolves when no call and no stream is left and the transport's connections are closed.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
   * @example
   * ```ts
   * process.once('SIGTERM', () => client.close({ graceMs: 5_000 }));
   * ```
   */
  close(options?: CloseOptions): Promise<void> {
    return this.#connection.close(options);
  }

  /** @internal */
  get sender(): Connection {
    return this.#connection;
  }

  /** @internal Returns a client of the same kind over another connection. */
  protected over(connection: Connection): RouteClient {
    return new RouteClient(undefined, connection);
  }
}

/**
 * Creates a client of routes for a deployment. Nothing is sent before the first call.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option and what is accepted.
 * @example
 * ```ts
 * import { bearer } from 'arango-services/credentials';
 * import { createRouteClient } from 'arango-services/routes';
 *
 * const client = createRouteClient({ url: 'http://localhost:8529', database: 'shop', credentials: bearer('token') });
 * ```
 */
export function createRouteClient(options: RouteClientOptions): RouteClient {
  return new RouteClient(options);
}
