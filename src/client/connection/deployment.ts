import { runtime } from '#runtime';
import { InvalidArgumentError } from '../../base/errors.js';
import { type ReadOptions, readArgument } from '../../base/lib/readers.js';
import { type Base, readBase } from '../../base/lib/url.js';
import type { Call } from './call.js';
import type { connectionReaders, ReadConnectionOptions } from './connection-options.js';
import type { AuthorizedSender, CredentialsContext, WaitUntil } from './credentials-contract.js';
import { AbortListeners } from './deadline.js';
import type { Lifetime } from './lifetime.js';
import { ownKyTransport } from './own-ky.js';
import { openTransport, type Transport } from './transport.js';

/** The state that all connections to a deployment share, across databases and credentials. */
export class Deployment {
  declare readonly transport: Transport;
  /** The calls of the integration services that the gateway routes, if `url` is one: `all` with an `integrationUrl`. */
  declare readonly gateway: 'all' | 'short' | false | undefined;
  /** True if the caller supplied `fetch` or `transport`. */
  declare readonly ownFetch: boolean;
  /** True if the caller supplied `fetch`, `transport` or `ky`. */
  declare readonly isCustom: boolean;
  declare readonly bases: Readonly<Record<NonNullable<Call['base']>, Base>>;
  readonly listeners = new AbortListeners();
  /** Shared by all databases, because credentials use it as the key of this deployment's token. */
  declare readonly context: CredentialsContext;
  readonly #closeTransport: () => Promise<void>;
  #closed: Promise<void> | undefined;

  /**
   * @param connect creates the connection for token requests.
   * @throws InvalidArgumentError naming the option.
   */
  constructor(options: ReadConnectionOptions, connect: (deployment: Deployment) => AuthorizedSender) {
    const { url = readArgument(undefined, 'url', readBase), transport, fetch, ky, clock = performance } = options;
    const { integrationUrl: integration = url, managementUrl: management = url } = options;
    if ((transport && (fetch || ky)) || (fetch && ky)) {
      throw new InvalidArgumentError(transport ? 'transport' : 'ky', 'set one of transport, ky and fetch');
    }
    this.bases = { database: url, root: url, integration, management };
    this.gateway = options.gateway && (options.integrationUrl ? 'all' : 'short');
    this.ownFetch = (fetch ?? transport) !== undefined;
    this.isCustom = this.ownFetch || ky !== undefined;
    this.transport = transport ?? (ky ? ownKyTransport(ky) : runtime.transport(fetch));
    this.#closeTransport = openTransport(this.transport);
    this.context = { clock, connection: connect(this) };
  }

  /** Drops tokens and closes the transport, once. */
  close(forget: () => void): Promise<void> {
    if (!this.#closed) forget();
    this.#closed ??= this.#closeTransport();
    return this.#closed;
  }
}

/** The parts of a connection. */
export interface ConnectionState
  extends ReadOptions<
    Pick<
      typeof connectionReaders,
      'deploymentId' | 'credentials' | 'headers' | 'timeout' | 'idleTimeoutMs' | 'retry' | 'observe' | 'graceMs'
    >
  > {
  readonly deployment: Deployment;
  readonly database: string;
  /** Below the deployment's URL. */
  readonly databasePath: string;
  /** Signals that each abort every call. */
  readonly signals: readonly AbortSignal[];
  readonly waitUntil?: WaitUntil | undefined;
  /** Replaces the deployment's transport. */
  readonly transport?: Transport | undefined;
  /** True if credentials ask for tokens over it, also for in-flight calls of a closed client. */
  readonly isForCredentials?: boolean;
  readonly lifetime: Lifetime;
  /** True for a connection derived by `with`, whose closing closes nothing else. */
  readonly isPart?: boolean;
}
