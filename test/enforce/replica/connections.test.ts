import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listenGrpc, type MockPool, mockPool } from '../../../src/console/mock/node.ts';
import { createTransport } from '../../../src/enforce/replica/grpc-transport.ts';
import { listenAt } from '../../../src/mock/adapters/node/listening-address.ts';
import type { Mock } from '../../../src/mock/index.ts';
import { turns } from '../../support/turns.ts';
import { walk, walkArb } from './support/walks.ts';

// Walks over a failing network: connections are cut, or frozen without closing, so that only the replica's pings and
// silence timeouts detect it. Timers are Vitest's; sockets take real time, but no delay of small packets, in which pings
// would time out.

let echo: Echo;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  echo = await Echo.open();
});
afterEach(() => {
  vi.useRealTimers();
  echo.close();
});

/** A connection to this machine. Its echoes arrive after bytes that were sent before them, however busy it is. */
class Echo {
  readonly #socket: Socket;
  readonly close: () => void;

  private constructor(socket: Socket, close: () => void) {
    this.#socket = socket;
    this.close = close;
  }

  static async open(): Promise<Echo> {
    const server = createServer({ noDelay: true }, (socket) => socket.pipe(socket));
    const { port } = await listenAt(server, { host: '127.0.0.1', port: 0 });
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    return new Echo(socket, () => {
      socket.destroy();
      server.close();
    });
  }

  async wait(): Promise<void> {
    this.#socket.write('.');
    await once(this.#socket, 'data');
  }
}

/** Advances virtual time, and waits for bytes in flight: from the client over the proxy to the mock, and back. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let hop = 0; hop < 4; hop++) {
    await echo.wait();
    await turns(5);
  }
}

/** A proxy in front of a mock's port that can stop forwarding. */
class Network {
  connections = 0;
  /** The number of broken connections. */
  broken = 0;
  readonly #open = new Set<{ isFrozen: boolean; readonly sockets: readonly Socket[] }>();

  /** The pool of a mock through this network. */
  transport(mock: Mock): MockPool {
    const made = this.#listen(mock).then((port) =>
      createTransport({ origin: `http://127.0.0.1:${port}`, secure: false }),
    );
    return {
      ...mockPool(mock),
      async *open(call, authorization, signal) {
        yield* (await made).open(call, authorization, signal);
      },
      close: () => void made.then((transport) => transport.close()),
    };
  }

  /** Ends all connections. */
  cut(): void {
    this.broken += this.#open.size;
    for (const { sockets } of this.#open) for (const socket of sockets) socket.resetAndDestroy();
    this.#open.clear();
  }

  /** Freezes all current connections. */
  freeze(): void {
    this.broken += this.#open.size;
    for (const connection of this.#open) connection.isFrozen = true;
    this.#open.clear();
  }

  async #listen(mock: Mock): Promise<number> {
    const upstream = await listenGrpc(mock);
    const sockets = new Set<Socket>();
    const server = createServer({ noDelay: true }, (near) => {
      this.connections++;
      const far = connect({ port: upstream.port, host: '127.0.0.1', noDelay: true });
      const connection = { isFrozen: false, sockets: [near, far] };
      this.#open.add(connection);
      sockets.add(near).add(far);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on('error', () => {});
        from.on('data', (bytes) => void (connection.isFrozen || to.write(bytes)));
        from.on('close', () => connection.isFrozen || to.destroy());
      }
    });
    onTestFinished(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return (await listenAt(server, { host: '127.0.0.1', port: 0 })).port;
  }
}

test.each(['cut', 'freeze'] as const)(
  'survives connections that fail in the middle of a walk: %s',
  async (fail) => {
    let allowed = 0;
    let broken = 0;
    await fc.assert(
      fc.asyncProperty(
        walkArb(50),
        fc.uniqueArray(fc.nat({ max: 49 }), { minLength: 1, maxLength: 5 }),
        async (one, at) => {
          const network = new Network();
          const disturb = (_mock: Mock, _replica: unknown, write: number) =>
            void (at.includes(write) && network[fail]());
          allowed += await walk(one, 200, (mock) => network.transport(mock), disturb, pass);
          expect(network.connections).toBeGreaterThan(network.broken);
          broken += network.broken;
        },
      ),
      { numRuns: 6, seed: 20_261_121, endOnFailure: true },
    );
    expect(Math.min(allowed, broken)).toBeGreaterThan(0);
  },
  400_000,
);
