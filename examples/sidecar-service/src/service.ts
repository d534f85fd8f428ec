import { createClient, credentials } from 'arango-services';
import { createGuard, createVerifier, operationGuards, type PlainResponse, toPlain } from 'arango-services/guard';
import { fromEnv } from 'arango-services/node';
import { typed } from 'arango-services/openapi';
import { createReplica } from 'arango-services/replica';
import { isNetworkError } from 'arangojs/errors';
import { type FastifyReply, fastify } from 'fastify';
import { pino } from 'pino';
import document from '../openapi.json' with { type: 'json' };
import type { paths } from './billing.d.ts';
import { createMetrics } from './metrics.ts';
import { openOrders } from './orders.ts';
import { followPayments } from './payments.ts';

const database = 'shop';
/** How long requests in flight may take after SIGTERM. Less than the orchestrator's grace period, 30 s in Kubernetes. */
const graceMs = 10_000;
const quiet = { logLevel: 'warn' } as const;
type Params = { Params: { id: string } };
const send = (reply: FastifyReply, { status, headers, body, cause }: PlainResponse & { readonly cause?: unknown }) => {
  if (cause !== undefined) reply.log.error(cause); // for this service's own log
  return reply.code(status).headers(headers).send(body);
};

/** Starts the service with the environment that the platform gives to a process beside a sidecar. */
export async function start(environment: Record<string, string | undefined>) {
  // Paths without queries, in which callers may send secrets.
  const log = pino({ serializers: { req: ({ method, url }) => ({ method, path: url.split('?')[0] }) } });
  const env = fromEnv(environment);
  const { serviceAddress: address, credentials: own, modes } = env;
  const metrics = createMetrics();
  const client = createClient({ ...env, database, timeout: 5_000, observe: metrics.observe });

  // Callers are identified by the published keys, and permissions decided by the replica: no request for either.
  const authenticate = createVerifier({ client });
  const replica = createReplica({ address, credentials: own, type: modes.authorizationType, authenticate });
  replica.on('status', ({ state, lastError }) => {
    metrics.setLive(state === 'live');
    log.info({ state, err: lastError }, 'replica');
  });
  const guard = createGuard(replica, { realm: 'orders' });
  const operations = operationGuards(guard, document);
  const mayRead = operations.for('GET /orders/{id}');
  const mayInvoice = operations.for('POST /orders/{id}/invoice');
  if (operations.unguarded().length > 0) throw new Error(`no handler checks ${operations.unguarded()}`);

  const stopping = new AbortController();
  const orders = openOrders(env.url, database, client);
  const app = fastify({ loggerInstance: log, requestIdHeader: 'x-request-id' });
  app.addHook('onResponse', metrics.onResponse);
  app.addHook('onSend', async (_request, reply) => {
    if (stopping.signal.aborted) reply.header('connection', 'close'); // an idle connection would delay the end
  });
  app.setErrorHandler((error: Error & { code?: unknown }, _request, reply) => {
    if (String(error.code).startsWith('FST_')) return reply.send(error); // Fastify's own: a 400 for an invalid body
    const answer = toPlain(error); // forwards no 401 of another service as its own
    return send(reply, { ...answer, ...(isNetworkError(error) && { status: 503 }), cause: error }); // no database
  });

  // Liveness: independent of other services, because a restart would not fix their outages.
  app.get('/live', quiet, () => ({ status: 'up' }));
  // Readiness: what every request depends on. While it fails, the process gets no requests, and is not restarted.
  app.get('/ready', quiet, async (request, reply) => {
    try {
      if (!replica.live) throw new Error(`the replica is ${replica.status.state}`);
      await Promise.all([guard.ready({ timeout: 2_000 }), authenticate.ready({ timeout: 2_000 })]);
      await orders.ping();
      return { status: 'ready' };
    } catch (error) {
      request.log.warn(error, 'not ready');
      return reply.code(503).send({ status: 'not ready' });
    }
  });
  app.get('/metrics', quiet, () => metrics.read());

  app.get<Params>('/orders/:id', async (request, reply) => {
    const access = await mayRead.check(request.raw, request);
    if (!access.allowed) return send(reply, access);
    return (await orders.find(request.params.id)) ?? reply.code(404).send({ message: 'no such order' });
  });

  app.post<Params>('/orders/:id/invoice', async (request, reply) => {
    const access = await mayInvoice.check(request.raw, request);
    if (!access.allowed) return send(reply, access);
    const order = await orders.find(request.params.id);
    if (order === undefined) return reply.code(404).send({ message: 'no such order' });
    // Billing is called with the caller's token, so it checks the caller's permissions, not those of this service.
    const caller = client.with({ credentials: credentials.bearer(access.token ?? ''), requestId: request.id });
    const { body } = await typed<paths>(caller.service('billing')).post('/invoices', {
      body: { order: order.id, total: order.total },
    });
    return reply.code(201).send(body);
  });

  await app.listen({ port: Number(environment.PORT ?? 3000), host: '0.0.0.0' });
  const following = followPayments(client, orders, log, stopping.signal);
  return {
    async close(): Promise<void> {
      stopping.abort();
      setTimeout(() => app.server.closeAllConnections(), graceMs).unref();
      await app.close(); // takes no more requests, and waits for those in flight
      await following;
      await client.close();
      await replica.close();
      orders.close();
    },
  };
}
