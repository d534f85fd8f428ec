import { createServer, type IncomingMessage } from 'node:http';
import { createClient } from 'arango-services';
import { type Answer, createGuard } from 'arango-services/guard';
import { fromEnv } from 'arango-services/node';
import { createReplica } from 'arango-services/replica';

type Reply = Pick<Answer, 'status'> & { readonly headers?: Answer['headers']; readonly body: unknown };

/**
 * Starts the service with the environment that the platform gives to a process beside a sidecar. `close` lets requests
 * in flight end.
 */
export async function start(environment: Record<string, string | undefined>, port = 0) {
  const env = fromEnv(environment);
  const { serviceAddress: address, credentials, modes } = env;
  if (address === undefined)
    throw new Error('INTEGRATION_SERVICE_ADDRESS is missing: the address of the gRPC services');
  const client = createClient(env);
  // Decides in process, and asks the sidecar only for the owner of a token.
  const replica = createReplica({ address, credentials, type: modes.authorizationType, tokens: { client } });
  // An error of the replica holds no secrets.
  replica.on('status', ({ state, lastError }) => console.log(`replica ${state}`, state === 'stale' ? lastError : ''));
  const guard = createGuard<'orders:read'>(replica, { realm: 'orders' });

  async function answer(request: IncomingMessage): Promise<Reply> {
    switch (request.url) {
      // Liveness: independent of other services, because a restart would not fix their outages.
      case '/health':
        return { status: 200, body: { status: 'up' } };
      // Readiness: without a live replica the process gets no requests, and is not restarted.
      case '/ready':
        return { status: replica.live ? 200 : 503, body: { replica: replica.status.state } };
      case '/orders': {
        const access = await guard.check(request, { action: 'orders:read', resource: 'orders' });
        return access.allowed ? { status: 200, body: { orders: [] } } : access;
      }
      default:
        return { status: 404, body: { message: 'not found' } };
    }
  }

  const server = createServer(async (request, response) => {
    const { status, headers, body } = await answer(request);
    // Otherwise an idle connection would keep a server that is closing for seconds.
    response.shouldKeepAlive &&= server.listening;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(port, listening));
  // The cast: the address of a server that listens on a port.
  const { port: actual } = server.address() as { port: number };

  return {
    url: `http://localhost:${actual}`,
    async close(): Promise<void> {
      await new Promise((closed) => server.close(closed));
      await client.close();
      await replica.close();
    },
  };
}
