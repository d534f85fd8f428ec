import { type Client, credentials, isArangoServicesError } from 'arango-services';
import { createGuard, type PlainResponse, toPlain } from 'arango-services/guard';
import { type FastifyReply, fastify } from 'fastify';
import { createOrders, resourceOf } from '../../shared/orders.ts';

// The adapter: converts an answer of the guard to a Fastify response.
const send = (reply: FastifyReply, { status, headers, body }: PlainResponse) =>
  reply.code(status).headers(headers).send(body);

/** The answer of billing to a new invoice. */
interface Invoice {
  readonly number?: string;
}

/** The orders service. `billing` is the name of the other service behind the database. */
export function createApp(client: Client, billing = 'billing') {
  const guard = createGuard<'orders:read' | 'orders:write'>(client, { realm: 'orders' });
  const orders = createOrders();
  const app = fastify();
  app.decorateRequest('token', '');

  // The error handler for uncaught errors of calls. Fastify would use `error.status`, and so forward another service's
  // 401.
  app.setErrorHandler((error, _request, reply) => {
    if (!isArangoServicesError(error)) return reply.send(error);
    console.error(error);
    return send(reply, toPlain(error));
  });

  app.get('/orders', async (request, reply) => {
    const all = orders.list();
    const access = await guard.checkMany(
      request.raw,
      all.map((order) => ({ action: 'orders:read', resource: resourceOf(order) })),
    );
    if (!access.items) return send(reply, access);
    return all.filter((_order, index) => access.items[index]?.allowed);
  });

  app.get<{ Params: { id: string } }>('/orders/:id', async (request, reply) => {
    const { id } = request.params;
    const order = orders.find(id);
    // Missing orders are checked as well, so that only callers who may read orders learn that one is missing.
    const resource = resourceOf(order ?? { state: 'open', id });
    const access = await guard.check(request.raw, { action: 'orders:read', resource });
    if (!access.allowed) return send(reply, access);
    return order ?? reply.code(404).send({ message: 'no such order' });
  });

  app.post<{ Body: { total: number } }>('/orders', {
    // Before the body is read.
    onRequest: async (request, reply) => {
      const access = await guard.check(request.raw, { action: 'orders:write', resource: 'orders' });
      if (!access.allowed) return send(reply, access);
      request.token = access.token;
    },
    handler: async (request, reply) => {
      const order = orders.add(request.body.total);
      const asCaller = client.with({ credentials: credentials.bearer(request.token) });
      const sent = { order: order.id, total: order.total };
      const { body: invoice } = await asCaller.route(billing).post<Invoice>('invoices', sent);
      return reply.code(201).send({ ...order, invoice: invoice.number });
    },
  });

  return app;
}

declare module 'fastify' {
  interface FastifyRequest {
    token: string;
  }
}
