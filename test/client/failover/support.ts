import { nodeTransport } from '../../../src/client/node/index.ts';
import { open } from '../../support/server.ts';

/** An address at which nothing listens. */
export async function refused(): Promise<string> {
  const server = await open();
  await server.close();
  return server.url;
}

/** The transports that failover is tried over. */
export const ways = [
  { name: 'fetch', make: () => undefined },
  { name: 'nodeTransport', make: () => nodeTransport() },
];
