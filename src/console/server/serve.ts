import type { AddressInfo } from 'node:net';
import type { ConsoleApi } from '../api.js';
import { createConsolePort } from './index.js';

export interface ServedConsole {
  /** The address of the page. */
  readonly url: string;
  /** The key that the page asks for. */
  readonly key: string;
  close(): Promise<void>;
}

/**
 * Serves a console on 127.0.0.1, and nothing else. The page always asks for the key.
 * @param port 0 for any free one. Rejects with Node's own error if it is not available.
 */
export async function serveConsole(api: ConsoleApi, port: number): Promise<ServedConsole> {
  let bound = 0;
  const console = createConsolePort(api, { allowedHosts: [], needsKey: () => true, port: () => bound });
  // An import would evaluate all exports of `node:http`, including the getters that load undici.
  const server = process
    .getBuiltinModule('node:http')
    .createServer({ joinDuplicateHeaders: true }, (request, response) => {
      if (!console.http1(request, response)) response.writeHead(404, { 'content-length': 0 }).end();
    });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      // An error of one connection must not end the process.
      server.on('error', () => {});
      resolve();
    });
  });
  // The cast: a server that listens on a port has an address of this kind.
  bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}/_console/`,
    key: console.key,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}
