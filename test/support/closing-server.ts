import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeTransport } from '../../src/client/node/index.ts';
import { createClient, isNetworkError } from '../../src/index.ts';

/** The fate of calls: those sent, the arrivals of each, those that failed with a NetworkError. */
interface Outcome {
  readonly sent: readonly string[];
  readonly arrived: ReadonlyMap<string, number>;
  readonly failed: readonly string[];
}

const atOnce = 64;

/** Sends GETs and POSTs over nodeTransport, 64 at once, to a server that closes its idle connections at random. */
export async function callOverClosingServer(calls: number): Promise<Outcome> {
  const arrived = new Map<string, number>();
  const server = createServer(({ method, url, socket }, response) => {
    const name = `${method} ${url?.split('/').at(-1)}`;
    arrived.set(name, (arrived.get(name) ?? 0) + 1);
    response.end('{}');
    // Between two requests: right after the response, or a little later, when the next request may be in flight.
    const chance = Math.random();
    if (chance < 0.1) response.on('finish', () => socket.destroy());
    else if (chance < 0.3) setTimeout(() => socket.end(), Math.random() * 3);
    else if (chance < 0.4) setTimeout(() => socket.destroy(), Math.random() * 3);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The cast: a server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const client = createClient({ url: `http://127.0.0.1:${port}`, transport: nodeTransport(), retry: 0 });
  const sent: string[] = [];
  const failed: string[] = [];
  const worker = async () => {
    while (sent.length < calls) {
      const method = sent.length % 2 === 0 ? 'GET' : 'POST';
      const name = `${method} ${sent.length}`;
      sent.push(name);
      const path = name.slice(method.length + 1);
      try {
        await (method === 'GET' ? client.route().get(path) : client.route().post(path, {}));
      } catch (error) {
        if (!isNetworkError(error)) throw error;
        failed.push(name);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await client.close();
  await new Promise<void>((done) => server.close(() => done()));
  return { sent, arrived, failed };
}
