import { credentials } from 'arango-services';
import { toResponse } from 'arango-services/guard';
import { createService, type Environment } from './service.ts';

type Service = ReturnType<typeof createService>;

/** Reads an order as the caller; the deployment's own 404 is the answer, too. */
async function readOrder(request: Request, id: string, { deployment, guard }: Service): Promise<Response> {
  const access = await guard.check(request, { action: 'orders:read', resource: `order:${id}` });
  if (!access.allowed) return access.response;
  const asCaller = deployment.with({ credentials: credentials.bearer(access.token) });
  const { status, body } = await asCaller
    .route('orders')
    .with({ allowStatus: [404] })
    .get([id]);
  return status === 404 ? Response.json({ message: 'no such order' }, { status }) : Response.json(body);
}

/** Sends a new order as the caller, whose permission is checked before the body is read. */
async function addOrder(request: Request, { deployment, guard }: Service): Promise<Response> {
  const access = await guard.check(request, { action: 'orders:write', resource: 'orders' });
  if (!access.allowed) return access.response;
  const order = (await request.json().catch(() => undefined)) as { total?: unknown } | undefined;
  if (typeof order?.total !== 'number') return Response.json({ message: 'total is not a number' }, { status: 400 });
  const asCaller = deployment.with({ credentials: credentials.bearer(access.token) });
  const { body } = await asCaller.route('orders').post({ total: order.total });
  return Response.json(body, { status: 201 });
}

function answer(request: Request, service: Service): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, id] = /^\/orders\/([\w-]+)$/.exec(pathname) ?? [];
  if (request.method === 'GET' && id !== undefined) return readOrder(request, id, service);
  if (request.method === 'POST' && pathname === '/orders') return addOrder(request, service);
  return Response.json({ message: 'no such operation' }, { status: 404 });
}

let service: Service | undefined; // a worker's variables are there from its first request on

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    try {
      service ??= createService(environment);
      return await answer(request, service);
    } catch (error) {
      console.error(error); // an error of this package quotes no token and no body
      return toResponse(error);
    }
  },
};
