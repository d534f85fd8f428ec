import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { InvalidArgumentError } from '../../errors.js';

/** A connection of a pool, as far as a request must know it. */
export interface Line {
  /** Whether the connection that is open now has answered before: a server may close it while nothing is under way. */
  used: boolean;
}

/** A request to undici; it learns over which line it goes. */
export interface LineOptions extends Dispatcher.DispatchOptions {
  line?: Line;
}

/** What is used of undici. */
export interface Undici {
  readonly createPool: (origin: string, options: Pool.Options) => Pool;
  readonly buildConnector: typeof buildConnector;
}

/** Loads undici. @throws InvalidArgumentError which says what to install. */
export async function loadUndici(): Promise<Undici> {
  const [{ default: BasePool }, { default: BaseClient }, { default: connector }] = await Promise.all([
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/core/connect.js'),
  ]).catch(() => {
    throw new InvalidArgumentError('transport', 'nodeTransport needs undici 7: npm install undici@7');
  });

  /** One connection at a time, which tells its requests whether it was used before. */
  class WatchedClient extends BaseClient implements Line {
    used = false;

    constructor(origin: string | URL, options: Client.Options) {
      super(origin, options);
      this.on('connect', () => {
        this.used = false;
      });
    }

    override dispatch(options: LineOptions, handler: Dispatcher.DispatchHandler): boolean {
      options.line = this;
      return super.dispatch(options, handler);
    }
  }

  return {
    createPool: (origin, options) =>
      new BasePool(origin, { ...options, factory: (url, own) => new WatchedClient(url, own as Client.Options) }),
    buildConnector: connector,
  };
}
