import { type Client, credentials, isArangoServicesError } from 'arango-services';
import { createGuard, type PlainResponse, toPlain } from 'arango-services/guard';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import { createOrders, resourceOf } from '../../shared/orders.ts';

// The adapter: converts an answer of the guard to an Express response.
const send = (response: Response, { status, headers, body }: PlainResponse) => {
  response.status(status).set(headers).json(body);
};

// The error handler for uncaught errors of calls. Express would use `error.status`, and so forward another service's
// 401.
const answerErrors: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent || !isArangoServicesError(error)) return next(error);
  console.error(error);
  send(response, toPlain(error));
};

/** The answer of billing to a new invoice. */
interface Invoice {
  readonly number?: string;
}

/** The orders service. `billing` is the name of the other service behind the database. */
export function createApp(client: Client, billing = 'billing') {
  const guard = createGuard<'orders:read' | 'orders:write'>(client, { realm: 'orders' });
  const orders = createOrders();
  const app = express();

  app.get('/orders', async (request, response) => {
    const all = orders.list();
    const access = await guard.checkMany(
      request,
      all.map((order) => ({ action: 'orders:read', resource: resourceOf(order) })),
    );
    if (!access.items) return send(response, access);
    response.json(all.filter((_order, index) => access.items[index]?.allowed));
  });

  app.get('/orders/:id', async (request, response) => {
    const order = orders.find(request.params.id);
    // Missing orders are checked as well, so that only callers who may read orders learn that one is missing.
    const resource = resourceOf(order ?? { state: 'open', id: request.params.id });
    const access = await guard.check(request, { action: 'orders:read', resource });
    if (!access.allowed) return send(response, access);
    if (order === undefined) response.status(404);
    response.json(order ?? { message: 'no such order' });
  });

  // Before the body is read.
  const mayWrite: RequestHandler = async (request, response, next) => {
    const access = await guard.check(request, { action: 'orders:write', resource: 'orders' });
    if (!access.allowed) return send(response, access);
    response.locals.asCaller = client.with({ credentials: credentials.bearer(access.token) });
    next();
  };

  app.post('/orders', mayWrite, express.json(), async (request, response) => {
    const order = orders.add(Number(request.body.total));
    const asCaller: Client = response.locals.asCaller;
    const sent = { order: order.id, total: order.total };
    const { body: invoice } = await asCaller.route(billing).post<Invoice>('invoices', sent);
    response.status(201).json({ ...order, invoice: invoice.number });
  });

  return app.use(answerErrors);
}
