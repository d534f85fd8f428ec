import type { AddressInfo, Server } from 'node:net';
import { accepting, type ReadersOf, type ReadOptions, wholeNumber } from '../../../base/lib/readers.js';

/** The address of a port. */
export interface ListeningAddress {
  /** Default 0: a free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`: reachable from this machine only. */
  readonly host?: string | undefined;
}

export const addressReaders = {
  port: wholeNumber('a port', 0, 65_535),
  host: accepting<string>('a host name or an address', (value) => typeof value === 'string' && value !== ''),
} satisfies ReadersOf<ListeningAddress>;

/** Fills in the defaults. */
export const listeningAddress = ({
  port = 0,
  host = '127.0.0.1',
}: ReadOptions<typeof addressReaders>): { readonly port: number; readonly host: string } => ({ port, host });

/** Listens at an address. Rejects with Node's own error if the port is not available (`EADDRINUSE`). */
export async function listenAt(server: Server, { port, host }: Required<ListeningAddress>): Promise<AddressInfo> {
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

/** Formats an address as `host:port` for a local client; a wildcard address becomes loopback. */
export function formatAddress({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
