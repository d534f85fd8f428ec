import type { AddressInfo, Server } from 'node:net';
import { expected } from '../../../lib/readers.js';

/** Where a port is. */
export interface Place {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`: nobody outside this machine. */
  readonly host?: string | undefined;
}

/**
 * Reads where a port is, and fills in the defaults.
 * @throws InvalidArgumentError for what is no port or no host.
 */
export function readPlace({ port = 0, host = '127.0.0.1' }: Place): { readonly port: number; readonly host: string } {
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535)) throw expected('port', 'a port from 0 to 65535', port);
  if (typeof host !== 'string' || host === '') throw expected('host', 'a host name or an address', host);
  return { port, host };
}

/** Listens at a place. Rejects with Node's own error where the port cannot be had (`EADDRINUSE`). */
export async function listenAt(server: Server, { port, host }: Required<Place>): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // A connection that cannot be accepted is that client's failure, not the end of the process.
      server.on('error', () => {});
      resolve();
    });
  });
  // The cast: a server that listens on a port has an address of this kind.
  return server.address() as AddressInfo;
}

/**
 * An address as a client on this machine writes it, `host:port`: "any address" is none that one can connect to
 * everywhere.
 */
export function formatAddress({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
