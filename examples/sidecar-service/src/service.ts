import { createServer, type ServerResponse } from 'node:http';
import { createClient } from 'arango-services';
import { createGuard } from 'arango-services/guard';
import { fromEnv } from 'arango-services/node';
import { createReplica } from 'arango-services/replica';

async function send(to: ServerResponse, response: Response): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
}

/** Starts the service in an environment as a sidecar's neighbour finds it; `close` lets what is under way end. */
export async function start(environment: Record<string, string | undefined>, port = 0) {
  const env = fromEnv(environment);
  const { serviceAddress: address, credentials, modes } = env;
  if (address === undefined) throw new Error('INTEGRATION_SERVICE_ADDRESS is missing: it has the gRPC services');
  const replica = createReplica({ address, credentials, type: modes.authorizationType });
  const client = createClient({ ...env, replica });
  const guard = createGuard<'orders:read'>(client, { realm: 'orders' });

  const server = createServer(async (incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    // Alive: an orchestrator restarts a process that does not answer. It says nothing of what is behind.
    if (pathname === '/health') return send(outgoing, Response.json({ status: 'up' }));
    // Ready: without a live replica the process gets no requests, and it is not restarted.
    if (pathname === '/ready')
      return send(outgoing, Response.json({ live: replica.live }, { status: replica.live ? 200 : 503 }));
    const headers = new Headers(incoming.headers as Record<string, string>);
    const request = new Request(`http://localhost${pathname}`, { headers });
    const access = await guard.check(request, { action: 'orders:read', resource: 'orders' });
    return send(outgoing, access.allowed ? Response.json({ orders: [] }) : access.response);
  });
  await new Promise<void>((listening) => server.listen(port, listening));
  // The cast: it listens on a port.
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
