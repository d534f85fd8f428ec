import { createClient, credentials } from 'arango-services';
import { createGuard, permissionsHandler } from 'arango-services/guard';
import { createMock, type Mock, type ServiceHandler } from 'arango-services/mock';
import type { Order } from './orders.ts';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** Says what the service does once the caller may do it. */
type Act = (body: unknown) => Awaited<ReturnType<ServiceHandler>>;

/** A platform for the demo and the tests: alice may read, write and export orders, bob may read them. */
export async function createPlatform(): Promise<Mock> {
  const mock = await createMock({
    // The same key after a reload and in each tab, so that their mocks accept the same tokens.
    authentication: { keys: { active: 'the key of a demo' } },
    users: [
      { name: 'alice', password: 'pw' },
      { name: 'bob', password: 'pw' },
    ],
    policies: {
      read: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] },
      write: { statements: [{ effect: 'Allow', actions: ['orders:write', 'orders:export'], resources: ['*'] }] },
    },
    roles: { viewer: { policies: ['read'] }, clerk: { policies: ['read', 'write'] } },
    bindings: [
      { user: 'alice', role: 'clerk', scope: everywhere },
      { user: 'bob', role: 'viewer', scope: everywhere },
    ],
  });
  const orders: Order[] = [
    { id: '1', state: 'open', total: 9.5 },
    { id: '2', state: 'closed', total: 20 },
  ];
  serveOrders(mock, orders);
  return mock;
}

/** The orders service, behind the gateway and beside its sidecar. It enforces permissions, whatever the page shows. */
function serveOrders(mock: Mock, orders: Order[]): void {
  const sidecar = createClient(mock.connection);
  const guard = createGuard(sidecar, { realm: 'orders' });
  const permissions = permissionsHandler(guard, { actions: ['orders:write', 'orders:export'] });
  const allow =
    (action: string, act: Act): ServiceHandler =>
    async ({ request, body }) => {
      const access = await guard.check(request, { action, resource: 'orders' });
      return access.allowed ? act(body) : access.response;
    };
  mock.service('orders', {
    '/': {
      get: allow('orders:read', () => ({ body: orders })),
      post: allow('orders:write', (body) => {
        const order: Order = { id: `${orders.length + 1}`, state: 'open', total: Number(Object(body).total) };
        orders.push(order);
        return { status: 201, body: order };
      }),
    },
    '/export': {
      get: allow('orders:export', () => {
        const lines = orders.map(({ id, state, total }) => `${id},${state},${total}`);
        return { headers: { 'content-type': 'text/csv' }, body: ['id,state,total', ...lines].join('\n') };
      }),
    },
    '/permissions': { post: ({ request, body }) => permissions.answer(request, body) },
    // The next token of the caller's session.
    '/token': {
      async post({ request, user = '' }) {
        const access = await guard.authenticate(request);
        if (!access.allowed) return access.response;
        const asCaller = sidecar.with({ credentials: credentials.bearer(access.token) });
        return { body: await asCaller.authentication.createToken({ user }) };
      },
    },
  });
}
