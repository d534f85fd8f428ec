import { connect, createServer, type Socket } from 'node:net';
import { listenAt } from '../../../../src/mock/adapters/node/listening-address.ts';

/** A TCP proxy in front of services that take over from each other. */
export interface SlowProxy extends AsyncDisposable {
  readonly address: string;
  /** The port of the service that new connections go to. */
  upstream: number;
  /** The delay of data from the service, in milliseconds; called for each piece. */
  delay: () => number;
  /** Breaks every connection. */
  cut(): void;
}

/** Starts a proxy that delays what the service sends, in order. */
export async function startSlowProxy(upstream: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(proxy.upstream, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far);
    let sent = Promise.resolve();
    far.on('data', (data) => {
      const ms = proxy.delay();
      const due = new Promise<void>((resolve) => (ms > 0 ? setTimeout(resolve, ms) : resolve()));
      sent = sent.then(() => due).then(() => void (near.destroyed || near.write(data)));
    });
  });
  const { port } = await listenAt(server, { host: '127.0.0.1', port: 0 });
  const cut = (): void => {
    for (const one of sockets) one.destroy();
  };
  const proxy: SlowProxy = {
    address: `127.0.0.1:${port}`,
    upstream,
    delay: () => 0,
    cut,
    [Symbol.asyncDispose]: () => {
      cut();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
  return proxy;
}
