import { createClient, credentials } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { openApiValidator } from 'arango-services/mock/openapi';
import { policyForOperations } from 'arango-services/openapi';
import { expect, test } from 'vitest';
import document from '../openapi.json' with { type: 'json' };
import { createOrders } from '../src/client.ts';
import type { paths } from '../src/openapi.d.ts';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const mock = await createMock({
  users: [{ name: 'alice', password: 'pw' }],
  policies: { deleters: policyForOperations<paths>(document, [{ method: 'delete', path: '/orders/{id}' }]) },
  roles: { deleter: { policies: ['deleters'] } },
  bindings: [{ user: 'alice', role: 'deleter', scope: everything }],
});
mock.service<paths>(
  'orders',
  {
    '/orders/{id}': {
      get: ({ path }) =>
        path.id === 7 ? { body: { id: 7, total: 9.5 } } : { status: 404, body: { detail: 'there is no such order' } },
    },
    '/orders': { post: ({ body }) => ({ status: 201, body: { id: 8, total: body.total } }) },
  },
  { document, validate: openApiValidator(), examples: true },
);
const alice = credentials.login({ username: 'alice', password: 'pw' });
const orders = createOrders(createClient({ ...mock.connection, credentials: alice }));

test('reads and adds orders', async () => {
  expect([await orders.totalOf(7), await orders.totalOf(8)]).toEqual([9.5, undefined]);
  expect(await orders.add(3)).toBe(8);
});

test('is told which field of a request does not fit the document', async () => {
  await expect(orders.add(-1)).rejects.toThrow(/body\.total/);
});

test('knows which buttons to show', async () => {
  expect(await orders.mayDelete(7)).toBe(true);
});
