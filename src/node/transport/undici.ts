import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { InvalidArgumentError } from '../../errors.js';

/** Makes a connection; gives what ends the attempt. */
export type Connect = (...args: Parameters<buildConnector.connector>) => (reason: Error) => void;

/** A connection of a pool: what a request has to know of it. */
interface WatchedConnection {
  /** Whether it has answered since it was opened: a server may close such a connection while nothing is under way. */
  used: boolean;
  /** The first failure of its socket. undici gives the last one, which only says that the other side closed. */
  failure: Error | undefined;
  /** Closes the connection with the request that is under way on it, and with no other. */
  cut(): void;
  /** Gives up the attempt to connect, if it is made for one request only. */
  abandon(): void;
}

/** A request to undici; it learns over which connection it goes. */
export interface WatchedDispatchOptions extends Dispatcher.DispatchOptions {
  connection?: WatchedConnection;
}

/** What is used of undici. */
export interface Undici {
  readonly createPool: (origin: string, connect: Connect, options: Pool.Options) => Pool;
  readonly buildConnector: typeof buildConnector;
}

// undici takes it for the failure of the request on the connection, and of none that waits for the connection.
const closed = (message: string) => Object.assign(new Error(message), { code: 'UND_ERR_SOCKET' });

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
    #giveUp: (() => void) | undefined;

    constructor(origin: string | URL, connect: Connect, options: Client.Options) {
      super(origin, { ...options, connect: (...args) => this.#connect(connect, ...args) });
    }

    #connect(connect: Connect, target: buildConnector.Options, callback: buildConnector.Callback): void {
      let isOver = false;
      const settle: buildConnector.Callback = (...made) => {
        const socket = made[1] ?? undefined;
        if (isOver) return void socket?.destroy();
        isOver = true;
        this.#giveUp = undefined;
        this.used = false;
        this.failure = undefined;
        this.#socket = socket;
        socket?.prependOnceListener('error', (error: Error) => {
          this.failure = error;
        });
        callback(...made);
      };
      const end = connect(target, settle);
      this.#giveUp = () => {
        const reason = new Error('aborted');
        settle(reason, null);
        end(reason);
      };
    }

    cut(): void {
      // The controller's abort would make undici open another connection, for nobody.
      this.#socket?.destroy(closed('cut'));
    }

    abandon(): void {
      if (this.stats.size === 1) this.#giveUp?.();
    }

    override dispatch(options: WatchedDispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      options.connection = this;
      return super.dispatch(options, handler);
    }
  }

  return {
    createPool: (origin, connect, options) =>
      new BasePool(origin, {
        ...options,
        factory: (url, own) => new WatchedClient(url, connect, own as Client.Options),
      }),
    buildConnector: connector,
  };
}
