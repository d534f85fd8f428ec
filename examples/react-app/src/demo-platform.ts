import { createMock, type Mock } from 'arango-services/mock';
import type { Order } from './orders.ts';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** A platform for the demo and the tests: alice may read and write orders, bob may read them. */
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
  // The orders service: it enforces permissions, whatever the page shows.
  const mayUse = (user = '', action: string) => mock.explain({ user, action, resource: 'orders' }).decision.allowed;
  mock.route('GET', '/_db/:db/orders', ({ user }) =>
    mayUse(user, 'orders:read') ? { body: orders } : { status: 403 },
  );
  mock.route('POST', '/_db/:db/orders', ({ user, body }) => {
    if (!mayUse(user, 'orders:write')) return { status: 403 };
    const order: Order = { id: `${orders.length + 1}`, state: 'open', total: Number(Object(body).total) };
    orders.push(order);
    return { status: 201, body: order };
  });
  return mock;
}
