import type { Client } from 'arango-services';
import { createGuard, operationGuards, toResponse } from 'arango-services/guard';
import { Hono } from 'hono';
import document from '../openapi.json' with { type: 'json' };
import type { components, paths } from './openapi.d.ts';

type Order = components['schemas']['Order'];

/** The orders service. No permission is named here: the document has them. */
export function createApp(client: Client) {
  const operations = operationGuards<paths>(createGuard(client, { realm: 'orders' }), document);
  const [list, create, read, remove, health] = [
    operations.for('GET /orders'),
    operations.for('POST /orders'),
    operations.for('GET /orders/{id}'),
    operations.for('DELETE /orders/{id}'),
    operations.for('GET /health'),
  ];
  const orders = new Map<number, Order>([[1, { id: 1, total: 12 }]]);
  const app = new Hono();

  app.onError((error) => toResponse(error));
  app.get('/orders', async (c) => {
    const access = await list.check(c.req.raw);
    return access.allowed ? c.json([...orders.values()]) : access.response;
  });
  app.post('/orders', async (c) => {
    const access = await create.check(c.req.raw);
    if (!access.allowed) return access.response;
    const { total } = await c.req.json<components['schemas']['NewOrder']>();
    const order: Order = { id: orders.size + 1, total };
    orders.set(order.id, order);
    return c.json(order, 201);
  });
  app.get('/orders/:id', async (c) => {
    const access = await read.check(c.req.raw, { params: c.req.param() });
    if (!access.allowed) return access.response;
    const order = orders.get(Number(access.operation.parameters.id));
    return order ? c.json(order) : c.json({ detail: 'there is no such order' }, 404);
  });
  app.delete('/orders/:id', async (c) => {
    const access = await remove.check(c.req.raw, { params: c.req.param() });
    if (!access.allowed) return access.response;
    orders.delete(Number(access.operation.parameters.id));
    return c.body(null, 204);
  });
  app.get('/health', async (c) => {
    const access = await health.check(c.req.raw);
    return access.allowed ? c.body(null, 204) : access.response;
  });

  const unguarded = operations.unguarded();
  if (unguarded.length > 0) throw new Error(`no handler asks for ${unguarded.join(', ')}`);
  return app;
}
