import type { AddressInfo, Server } from 'node:net';
import { expected } from '../../../lib/readers.js';

/** The address of a port. */
export interface Place {
  /** Default 0: a free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`: reachable from this machine only. */
  readonly host?: string | undefined;
}

/**
 * Reads port and host, with defaults.
 * @throws InvalidArgumentError for an invalid port or host.
 */
export function readPlace({ port = 0, host = '127.0.0.1' }: Place): { readonly port: number; readonly host: string } {
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535)) throw expected('port', 'a port from 0 to 65535', port);
  if (typeof host !== 'string' || host === '') throw expected('host', 'a host name or an address', host);
  return { port, host };
}

/** Listens at an address. Rejects with Node's own error if the port is not available (`EADDRINUSE`). */
export async function listenAt(server: Server, { port, host }: Required<Place>): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // A failed accept concerns that client and must not end the process.
      server.on('error', () => {});
      resolve();
    });
  });
  // The cast: a server that listens on a port has an address of this kind.
  return server.address() as AddressInfo;
}

/**
 * Formats an address as `host:port` for a local client. A wildcard address becomes loopback, because not every system
 * can connect to it.
 */
export function formatAddress({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
