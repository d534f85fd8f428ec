import { connect, RouteClient, type RouteClientOptions, readClientSettings } from './route-client.js';

// First, as in src/index.ts.

import {
  oneOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFlag,
  readFunction,
  withMethods,
} from '../base/lib/readers.js';
import type { OnDecision } from '../policy/decision-line/on-decision.js';
import type { LocalDecider } from '../policy/model/decider.js';
import type { Connection } from './connection/connection.js';
import { connectionReaders } from './connection/connection-options.js';
import { AuthenticationClient } from './services/authentication/authentication-client.js';
import { AuthorizationClient } from './services/authorization/authorization-client.js';
import type { AuthorizationOptions } from './services/authorization/evaluate-options.js';
import { type Inventory, readInventory } from './services/inventory.js';
import { Service, type ServiceCallOptions } from './services/service-client.js';

/** Options of {@link createClient}. */
export interface ClientOptions extends RouteClientOptions, AuthorizationOptions {}

export const readClientOptions = optionsOf({
  ...connectionReaders,
  batch: readFlag,
  replica: withMethods<LocalDecider>('evaluate() and evaluateMany()', 'evaluate', 'evaluateMany'),
  whenNotLive: oneOf('remote', 'serve', 'refuse'),
  onDecision: readFunction as Reader<OnDecision>,
  refresh: readFlag,
} satisfies ReadersOf<Omit<ClientOptions, 'connection'>>);

/** The connection, which derived clients may share, and the options of this client alone. */
type ClientState = { readonly connection: Connection; readonly options: AuthorizationOptions };

/** Reads each option once, and opens the connection. */
function open(settings: unknown): ClientState {
  const options = readClientSettings(settings, readClientOptions);
  return { connection: connect(options), options };
}

/**
 * A client for a deployment: routes below one of its databases, and the platform's services. Create it with
 * {@link createClient}.
 * @example
 * ```ts
 * await using client = createClient({ url: 'http://localhost:8529', database: 'shop' });
 * const { user } = await client.authentication.identity();
 * const { body } = await client.route('orders').get('open', { limit: 5 });
 * ```
 */
export class Client extends RouteClient {
  readonly #state: ClientState;
  #authentication: AuthenticationClient | undefined;
  #authorization: AuthorizationClient | undefined;

  /** Does the same as {@link createClient}. */
  constructor(options: ClientOptions);
  /** @internal Takes the state instead of options. */
  constructor(options: undefined, state: ClientState);
  constructor(options: ClientOptions | undefined, state = open(options)) {
    super(undefined, state.connection);
    this.#state = state;
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
   * Reads what the deployment is: versions, modes, services. Its gateway answers any caller with a token. (GET
   * `/_inventory`)
   *
   * @throws HttpError (code `HTTP`): status 401 without a token, 404 where no gateway answers.
   * @example
   * ```ts
   * const { arangodb, security } = await client.inventory();
   * ```
   */
  inventory(options?: ServiceCallOptions): Promise<Inventory> {
    return new Service(this.#state.connection, 'root', '/_').ask('GET', 'inventory', readInventory, options);
  }

  /** @internal */
  protected override over(connection: Connection): Client {
    return new Client(undefined, { ...this.#state, connection });
  }
}

/**
 * Creates a client for a deployment. Nothing is sent before the first call.
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
