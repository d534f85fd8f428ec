import { createClient } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { permissionsOf, policyForOperations } from 'arango-services/openapi';
import { afterAll, expect, test } from 'vitest';
import document from '../openapi.json' with { type: 'json' };
import type { paths } from '../src/openapi.d.ts';
import { createApp } from '../src/service.ts';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const mock = await createMock({
  users: [{ name: 'alice' }, { name: 'bob' }],
  policies: {
    all: policyForOperations(
      document,
      permissionsOf(document).filter(({ permission }) => permission !== undefined),
    ),
    readers: policyForOperations<paths>(document, [{ method: 'get', path: '/orders/{id}' }]),
  },
  roles: { all: { policies: ['all'] }, reader: { policies: ['readers'] } },
  bindings: [
    { user: 'alice', role: 'all', scope: everything },
    { user: 'bob', role: 'reader', scope: everything },
  ],
});
// The service of this process, or one elsewhere: see examples/README.md.
const { ORDERS_URL, PLATFORM_PORT } = process.env;
if (PLATFORM_PORT) {
  const platform = await listen(mock, { port: Number(PLATFORM_PORT) });
  afterAll(() => platform.close());
}
const app = createApp(createClient(mock.connection));
const send = (path: string, init: RequestInit) =>
  ORDERS_URL === undefined ? app.request(path, init) : fetch(ORDERS_URL + path, init);

async function ask(method: string, path: string, user?: string, body?: object) {
  const token = user && (await mock.tokens.issue({ user }));
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  return (await send(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).status;
}

test('alice may do all that the document has', async () => {
  expect(await ask('GET', '/orders', 'alice')).toBe(200);
  expect(await ask('GET', '/orders/1', 'alice')).toBe(200);
  expect(await ask('HEAD', '/orders/1', 'alice')).toBe(200);
  expect(await ask('POST', '/orders', 'alice', { total: 5 })).toBe(201);
  expect(await ask('DELETE', '/orders/2', 'alice')).toBe(204);
  expect(await ask('GET', '/orders/2', 'alice')).toBe(404);
});

test('bob may read an order, and nothing else', async () => {
  expect(await ask('GET', '/orders/1', 'bob')).toBe(200);
  expect(await ask('GET', '/orders', 'bob')).toBe(403);
  expect(await ask('DELETE', '/orders/1', 'bob')).toBe(403);
});

test('without a token only what is public, and never what no handler has', async () => {
  expect(await ask('GET', '/health')).toBe(204);
  expect(await ask('GET', '/orders/1')).toBe(401);
  expect(await ask('GET', '/orders/1%2F..', 'alice')).toBe(403);
  expect(await ask('GET', '/orders/01', 'alice')).toBe(403);
  expect(await ask('GET', '/admin', 'alice')).toBe(404);
  expect(await ask('PATCH', '/orders/1', 'alice')).toBe(404);
});

test('the document names each permission once, and nothing else does', () => {
  const actions = permissionsOf(document).flatMap(({ permission }) => permission?.action ?? []);
  expect(new Set(actions).size).toBe(actions.length);
});
