import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { InvalidArgumentError } from '../../../base/errors.js';

/** Opens a connection; returns a function that aborts the attempt. */
export type Connect = (...args: Parameters<buildConnector.connector>) => (reason: Error) => void;

/** A connection of a pool, as a request sees it. */
interface WatchedConnection {
  /** True if the connection has answered before: a server may close such a connection while it is idle. */
  used: boolean;
  /** The first failure of its socket. undici reports the last one, which only says that the peer closed. */
  failure: Error | undefined;
  /** Called before undici learns that the server has closed the connection. */
  beforeEnd: (() => void) | undefined;
  /** True if bytes of a request wait to be sent. */
  readonly isSending: boolean;
  /** Closes the connection together with its request in flight, and no other request. */
  cut(): void;
  /** Aborts the connection attempt, if it serves only one request. */
  abandon(): void;
}

/** A request to undici, which receives its connection. */
export interface WatchedDispatchOptions extends Dispatcher.DispatchOptions {
  connection?: WatchedConnection;
}

/** The parts of undici in use. */
export interface Undici {
  readonly createPool: (origin: string, connect: Connect, options: Pool.Options) => Pool;
  readonly buildConnector: typeof buildConnector;
}

// undici applies this error to the request on the connection, but not to requests that wait for it.
const closed = (message: string) => Object.assign(new Error(message), { code: 'UND_ERR_SOCKET' });

/** Decodes the values of headers, which would lose bytes as UTF-8. undici itself reads `content-disposition` so. */
function readLatin1(handler: Dispatcher.DispatchHandler): void {
  const { onHeaders } = handler;
  handler.onHeaders = (status, raw, ...rest) => {
    const values = raw.map((bytes, at) =>
      at % 2 === 0 || /^content-disposition$/i.test(String(raw[at - 1])) ? bytes : String(bytes.toString('latin1')),
    );
    // The cast: undici also takes text.
    return onHeaders?.call(handler, status, values as Buffer[], ...rest) ?? true;
  };
}

/**
 * Loads undici.
 * @throws InvalidArgumentError that says what to install.
 */
export async function loadUndici(): Promise<Undici> {
  const [{ default: BasePool }, { default: BaseClient }, { default: connector }, { default: util }] = await Promise.all(
    [
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/dispatcher/client.js'),
      import('undici/lib/core/connect.js'),
      import('undici/lib/core/util.js'),
    ],
  ).catch((error: { readonly code?: unknown; readonly message?: unknown }) => {
    // A bundle may contain undici and still fail to load it.
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND';
    const why = isMissing ? 'npm install undici' : `it cannot be loaded: ${error.message}`;
    throw new InvalidArgumentError('transport', `nodeTransport needs undici 7 or 8: ${why}`);
  });

  // Releases of undici before those that read headers as Latin-1, as fetch does.
  const readsUtf8 = util.parseHeaders([Buffer.from('x'), Buffer.of(0xe9)]).x !== '\xe9';

  class WatchedClient extends BaseClient implements WatchedConnection {
    used = false;
    failure: Error | undefined;
    beforeEnd: (() => void) | undefined;
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
        socket?.prependOnceListener('end', () => this.beforeEnd?.());
        callback(...made);
      };
      const end = connect(target, settle);
      this.#giveUp = () => {
        const reason = new Error('aborted');
        settle(reason, null);
        end(reason);
      };
    }

    get isSending(): boolean {
      return Number(this.#socket?.writableLength) > 0;
    }

    cut(): void {
      // The controller's abort would make undici open another, unused connection.
      this.#socket?.destroy(closed('cut'));
    }

    abandon(): void {
      if (this.stats.size === 1) this.#giveUp?.();
    }

    override dispatch(options: WatchedDispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      options.connection = this;
      if (readsUtf8) readLatin1(handler);
      return super.dispatch(options, handler);
    }
  }

  return {
    createPool: (origin, connect, options) =>
      new BasePool(origin, {
        ...options,
        factory: (url, clientOptions) => new WatchedClient(url, connect, clientOptions as Client.Options),
      }),
    buildConnector: connector,
  };
}
