import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { InvalidArgumentError } from '../../errors.js';

/** A connection of a pool: what a request has to know of it. */
interface WatchedConnection {
  /** Whether it has answered since it was opened: a server may close such a connection while nothing is under way. */
  used: boolean;
  /** The first failure of its socket. undici gives the last one, which only says that the other side closed. */
  failure: Error | undefined;
  /** Ends the request that is under way. */
  cut(controller: Dispatcher.DispatchController): void;
}

/** A request to undici; it learns over which connection it goes. */
export interface WatchedDispatchOptions extends Dispatcher.DispatchOptions {
  connection?: WatchedConnection;
}

/** What is used of undici. */
export interface Undici {
  readonly createPool: (origin: string, options: Pool.Options) => Pool;
  readonly buildConnector: typeof buildConnector;
}

/**
 * Loads undici.
 * @throws InvalidArgumentError which says what to install.
 */
export async function loadUndici(): Promise<Undici> {
  const [{ default: BasePool }, { default: BaseClient }, { default: connector }] = await Promise.all([
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/core/connect.js'),
  ]).catch((error: { readonly code?: unknown; readonly message?: unknown }) => {
    // A bundle may hold undici and still fail to load it.
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND';
    const why = isMissing ? 'npm install undici' : `it cannot be loaded: ${error.message}`;
    throw new InvalidArgumentError('transport', `nodeTransport needs undici 7 or 8: ${why}`);
  });

  class WatchedClient extends BaseClient implements WatchedConnection {
    used = false;
    failure: Error | undefined;
    #socket: Socket | undefined;

    constructor(origin: string | URL, options: Client.Options) {
      // The cast: the options come from this package, which always makes a connector.
      const connect = options.connect as buildConnector.connector;
      super(origin, {
        ...options,
        connect: (target, callback) =>
          connect(target, (...made) => {
            this.used = false;
            this.failure = undefined;
            this.#socket = made[1] ?? undefined;
            this.#socket?.prependOnceListener('error', (error: Error) => {
              this.failure = error;
            });
            callback(...made);
          }),
      });
    }

    cut(controller: Dispatcher.DispatchController): void {
      // The controller's abort would make undici open another connection, for nobody.
      if (this.pipelining === 1) this.#socket?.destroy(new Error('cut'));
      else controller.abort(new Error('cut'));
    }

    override dispatch(options: WatchedDispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      options.connection = this;
      return super.dispatch(options, handler);
    }
  }

  return {
    createPool: (origin, options) =>
      new BasePool(origin, { ...options, factory: (url, own) => new WatchedClient(url, own as Client.Options) }),
    buildConnector: connector,
  };
}
