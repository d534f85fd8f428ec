import { type Client, credentials, isArangoServicesError } from 'arango-services';
import { createGuard, toResponse } from 'arango-services/guard';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { createOrders, resourceOf } from '../../shared/orders.ts';

/** The answer of billing to a new invoice. */
interface Invoice {
  readonly number?: string;
}

/** The orders service. `billing` is the name of the other service behind the database. */
export function createApp(client: Client, billing = 'billing') {
  const guard = createGuard<'orders:read' | 'orders:write'>(client, { realm: 'orders' });
  const orders = createOrders();
  const app = new Hono();

  // An uncaught error of a call.
  app.onError((error) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (isArangoServicesError(error)) console.error(error);
    return toResponse(error);
  });

  app.get('/orders', async (c) => {
    const all = orders.list();
    const access = await guard.checkMany(
      c.req.raw,
      all.map((order) => ({ action: 'orders:read', resource: resourceOf(order) })),
    );
    if (!access.items) return access.response;
    return c.json(all.filter((_order, index) => access.items[index]?.allowed));
  });

  app.get('/orders/:id', async (c) => {
    const id = c.req.param('id');
    const order = orders.find(id);
    // Missing orders are checked as well, so that only callers who may read orders learn that one is missing.
    const resource = resourceOf(order ?? { state: 'open', id });
    const access = await guard.check(c.req.raw, { action: 'orders:read', resource });
    if (!access.allowed) return access.response;
    return order ? c.json(order) : c.json({ message: 'no such order' }, 404);
  });

  app.post('/orders', async (c) => {
    const access = await guard.check(c.req.raw, { action: 'orders:write', resource: 'orders' });
    if (!access.allowed) return access.response;
    const { total } = await c.req.json<{ total: number }>();
    const order = orders.add(total);
    const asCaller = client.with({ credentials: credentials.bearer(access.token) });
    const sent = { order: order.id, total: order.total };
    const { body: invoice } = await asCaller.route(billing).post<Invoice>('invoices', sent);
    return c.json({ ...order, invoice: invoice.number }, 201);
  });

  return app;
}
