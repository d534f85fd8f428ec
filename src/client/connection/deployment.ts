import { runtime } from '#runtime';
import { InvalidArgumentError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import { readArgument } from '../../base/lib/readers.js';
import { AbortListeners } from './abort-listeners.js';
import type { Call } from './call.js';
import type { ReadConnectionOptions } from './connection-options.js';
import type { AuthorizedSender, CredentialsContext } from './credentials-contract.js';
import { ownKyTransport } from './own-ky.js';
import { openTransport, type Transport } from './transport.js';
import { type Base, readBase } from './url.js';

/** The state that all connections to a deployment share, across databases and credentials. */
export class Deployment {
  declare readonly transport: Transport;
  /** The calls of the integration services that the gateway routes, if `url` is one: `all` with an `integrationUrl`. */
  declare readonly gateway: 'all' | 'short' | false | undefined;
  /** True if the caller supplied `fetch` or `transport`. */
  declare readonly ownFetch: boolean;
  /** True if the caller supplied `fetch`, `transport` or `ky`. */
  declare readonly isCustom: boolean;
  readonly listeners = new AbortListeners();
  /** Shared by all databases, because credentials use it as the key of this deployment's token. */
  declare readonly context: CredentialsContext;
  readonly #bases: Readonly<Record<NonNullable<Call['base']>, Base>>;
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
      throw new InvalidArgumentError(transport ? 'transport' : 'ky', 'only one of transport, ky and fetch can be set');
    }
    this.#bases = { database: url, root: url, integration, management };
    this.gateway = options.gateway && (options.integrationUrl ? 'all' : 'short');
    this.ownFetch = (fetch ?? transport) !== undefined;
    this.isCustom = this.ownFetch || ky !== undefined;
    this.transport = transport ?? (ky ? ownKyTransport(ky) : runtime.transport(fetch));
    this.#closeTransport = openTransport(this.transport);
    this.context = { clock, connection: connect(this) };
  }

  baseOf(kind: NonNullable<Call['base']> = 'database'): Base {
    return this.#bases[kind];
  }

  /** Drops tokens and closes the transport, once. */
  close(forget: () => void): Promise<void> {
    if (!this.#closed) quietly(forget);
    this.#closed ??= this.#closeTransport();
    return this.#closed;
  }
}
