import { createClient } from '../../../src/index.ts';
import type { MockConfig } from '../../../src/mock/config/mock-config.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** A small shop: a clerk who may read orders, a manager who may do more, and a Deny. */
const shopConfig: MockConfig = {
  users: [{ name: 'alice', password: 'pw-alice' }, { name: 'bob' }, { name: 'carol' }],
  policies: {
    'read-orders': {
      statements: [{ effect: 'Allow', actions: ['orders:read', 'orders:list'], resources: ['order:*'] }],
    },
    'write-orders': { statements: [{ effect: 'Allow', actions: ['orders:write'], resources: ['order:*'] }] },
    'no-archive': { statements: [{ effect: 'Deny', actions: ['orders:*'], resources: ['order:archive*'] }] },
  },
  roles: { clerk: { policies: ['read-orders'] }, manager: { policies: ['read-orders', 'write-orders', 'no-archive'] } },
  bindings: [
    { user: 'alice', role: 'clerk', scope: everywhere },
    { user: 'bob', role: 'manager', scope: everywhere },
  ],
  limits: { log: 20_000 },
};

/** Creates the mock of the shop, with a few requests in its log. */
export async function openShop(more: MockConfig = {}): Promise<Mock> {
  const mock = await createMock({ ...shopConfig, ...more });
  mock.clock.set('2026-11-20T12:00:00Z');
  mock.route('GET', '/_db/:db/orders/:id', ({ params }) => ({ body: { id: params.id } }));
  await askSomething(mock);
  return mock;
}

/** Sends what an application would: decisions, a call of a service, and one without credentials. */
export async function askSomething(mock: Mock): Promise<void> {
  const client = createClient(mock.connection);
  const { authorization } = client;
  await authorization.isAllowed({ user: 'alice', action: 'orders:read', resource: 'order:7' });
  await authorization.isAllowed({ user: 'alice', action: 'orders:write', resource: 'order:7' });
  await authorization.isAllowed({ user: 'bob', action: 'orders:write', resource: 'order:7' });
  await authorization.isAllowed({ user: 'bob', action: 'orders:read', resource: 'order:archive-1' });
  const bearer = `bearer ${await mock.tokens.issue({ user: 'alice' })}`;
  await mock.fetch(`${mock.connection.url}/_db/shop/orders/7?limit=10`, { headers: { authorization: bearer } });
  await mock.fetch(`${mock.connection.url}/_db/shop/orders/8`);
}

/** Fills the log of a mock up to a number of requests. */
export async function fillLog(mock: Mock, requests: number): Promise<void> {
  const body = (index: number) =>
    JSON.stringify({ user: index % 2 ? 'alice' : 'bob', action: 'orders:read', resource: `order:${index}` });
  for (let index = mock.requests.length; index < requests; index += 1) {
    await mock.fetch(`${mock.connection.url}/_integration/authorization/v1/evaluate`, {
      method: 'POST',
      body: body(index),
    });
  }
}
