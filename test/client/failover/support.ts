import { nodeTransport } from '../../../src/client/node/index.ts';
import { open } from '../../support/server.ts';

/**
 * An address at which nothing listens. On Linux it is of another host than the servers of tests: one of them may be
 * given the port that has just become free.
 */
export async function refused(): Promise<string> {
  const server = await open();
  await server.close();
  const host = process.platform === 'linux' ? `127.0.0.${2 + Math.floor(Math.random() * 250)}` : '127.0.0.1';
  return server.url.replace('127.0.0.1', host);
}

/** The transports that failover is tried over. */
export const ways = [
  { name: 'fetch', make: () => undefined },
  { name: 'nodeTransport', make: () => nodeTransport() },
];
