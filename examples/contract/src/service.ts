import type { Client } from 'arango-services';
import { createGuard, guardOperation, type OperationIn, toResponse } from 'arango-services/guard';
import { Hono } from 'hono';
import document from '../openapi.json' with { type: 'json' };
import type { components, paths } from './openapi.d.ts';

type Order = components['schemas']['Order'];
type Parameters<P extends keyof paths> = Extract<OperationIn<paths>, { path: P }>['parameters'];

/** A path of the document as Hono writes it: `/orders/:id`. */
const at = (path: keyof paths) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** The orders service. No permission is named here: the document has them. */
export function createApp(client: Client) {
  const check = guardOperation<paths>(createGuard(client, { realm: 'orders' }), document);
  const orders = new Map<number, Order>([[1, { id: 1, total: 12 }]]);
  const app = new Hono<{ Variables: { operation: OperationIn<paths> } }>();

  app.onError((error) => toResponse(error));
  app.use(async (c, next) => {
    const access = await check(c.req.raw);
    if (!access.allowed) return access.response;
    c.set('operation', access.operation);
    return next();
  });

  app.get(at('/orders'), (c) => c.json([...orders.values()]));
  app.post(at('/orders'), async (c) => {
    const { total } = await c.req.json<components['schemas']['NewOrder']>();
    const order: Order = { id: orders.size + 1, total };
    orders.set(order.id, order);
    return c.json(order, 201);
  });
  app.get(at('/orders/{id}'), (c) => {
    const operation = c.get('operation');
    const order = operation.path === '/orders/{id}' ? orders.get(idOf(operation.parameters)) : undefined;
    return order ? c.json(order) : c.json({ detail: 'there is no such order' }, 404);
  });
  app.delete(at('/orders/{id}'), (c) => {
    orders.delete(Number(c.req.param('id')));
    return c.body(null, 204);
  });
  app.get(at('/health'), (c) => c.body(null, 204));
  return app;
}

const idOf = ({ id }: Parameters<'/orders/{id}'>) => Number(id);
