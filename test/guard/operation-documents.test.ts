import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGuard, type Guard, guardOperation } from '../../src/guard/index.ts';
import { createClient, type InvalidArgumentError } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import document from '../openapi/documents/orders.json' with { type: 'json' };

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const guard = { check: async () => ({ allowed: true, status: 200, token: 't' }) } as unknown as Guard;
const read = (permission: unknown) => ({ get: { 'x-permission': permission } });
const order = { action: 'orders:read', resource: 'order:{id}' };

/** The field of the error for a document with these paths. */
function refusedField(paths: unknown): string {
  try {
    guardOperation(guard, { paths } as object);
  } catch (error) {
    return (error as InvalidArgumentError).field;
  }
  throw new Error('the document is accepted');
}

describe('a document is refused when the guard is made', () => {
  const place = 'document.paths["/orders/{id}"]';
  test.each([
    ['an unknown parameter', read({ ...order, resource: 'order:{key}' }), `${place}.get.x-permission.resource`],
    [
      'an unknown parameter with a *',
      read({ ...order, resource: 'order:{key*}' }),
      `${place}.get.x-permission.resource`,
    ],
    ['an empty name', read({ ...order, resource: 'order:{}' }), `${place}.get.x-permission.resource`],
    ['a stray brace', read({ ...order, resource: 'order:{id' }), `${place}.get.x-permission.resource`],
    ['an empty resource', read({ ...order, resource: '' }), `${place}.get.x-permission.resource`],
    ['no resource', read({ action: 'orders:read' }), `${place}.get.x-permission.resource`],
    ['no action', read({ resource: 'orders' }), `${place}.get.x-permission.action`],
    ['an action of one part', read({ ...order, action: 'read' }), `${place}.get.x-permission.action`],
    ['another text', read('everyone'), `${place}.get.x-permission`],
    ['null', read(null), `${place}.get.x-permission`],
    ['another field', read({ ...order, public: true }), `${place}.get.x-permission.public`],
    ['an operation that is not an object', { get: true }, `${place}.get`],
    ['a reference to elsewhere', { $ref: 'other.json#/paths' }, `${place}.$ref`],
  ])('%s', (_, item, field) => {
    expect(refusedField({ '/orders/{id}': item })).toBe(field);
  });

  test.each([
    ['without a slash in front', { 'orders/{id}': {} }, 'document.paths["orders/{id}"]'],
    ['with a name twice', { '/{id}/{id}': {} }, 'document.paths["/{id}/{id}"]'],
    ['with a stray brace', { '/orders/{id': {} }, 'document.paths["/orders/{id"]'],
    ['like another one', { '/orders/{id}': {}, '/orders/{key}': {} }, 'document.paths["/orders/{key}"]'],
    ['in no paths', undefined, 'document'],
  ])('a path %s', (_, paths, field) => {
    expect(refusedField(paths)).toBe(field);
  });

  test('a value that is not a guard or not a document', () => {
    expect(() => guardOperation({} as Guard, document)).toThrow(/guard: expected a guard/);
    expect(() => guardOperation(guard, null as unknown as object)).toThrow(/document: expected an OpenAPI document/);
  });
});

test('a path item may be a reference inside the document', async () => {
  const check = guardOperation(guard, {
    paths: { '/orders/{id}': { $ref: '#/components/pathItems/order' } },
    components: { pathItems: { order: read(order) } },
  });
  expect((await check({ headers: {}, method: 'GET', url: '/orders/7' })).allowed).toBe(true);
});

test('the most specific path counts, in whatever order the document has the paths', async () => {
  const paths = {
    '/orders/{id}': read({ ...order, resource: 'id' }),
    '/orders': read({ ...order, resource: 'list' }),
    '/orders/export': read({ ...order, resource: 'export' }),
    '/{any}/export': read({ ...order, resource: 'any' }),
    '/orders/{id}.json': read({ ...order, resource: 'json' }),
    '/': read({ ...order, resource: 'root' }),
  };
  const asked: string[] = [];
  const check: Guard['check'] = async (_, { resource }) => {
    asked.push(resource);
    return { allowed: true, status: 200, token: 't' };
  };
  const indexes = fc.shuffledSubarray(Object.entries(paths), { minLength: 6 });
  await fc.assert(
    fc.asyncProperty(indexes, async (entries) => {
      asked.length = 0;
      const operation = guardOperation({ check } as Guard, { paths: Object.fromEntries(entries) });
      for (const url of ['/orders/export', '/orders/7', '/orders/7.json', '/orders', '/items/export', '/']) {
        await operation({ headers: {}, method: 'GET', url });
      }
      expect(asked).toEqual(['export', 'id', 'json', 'list', 'any', 'root']);
    }),
    { numRuns: 720 },
  );
});

describe('over a mock', () => {
  test('answers 401, 403 and 200 as the guard does', async () => {
    const mock = await createMock({
      users: [{ name: 'alice' }],
      policies: { readers: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:7'] }] } },
      roles: { reader: { policies: ['readers'] } },
      bindings: [{ user: 'alice', role: 'reader', scope: everything }],
    });
    const client = createClient(mock.connection);
    const check = guardOperation(createGuard(client, { identify: true }), document);
    const { token } = await client.authentication.createToken({ user: 'alice' });
    const ask = async (url: string, headers: Record<string, string>) =>
      (await check(new Request(`http://service.test${url}`, { headers }))).status;
    const authorization = `Bearer ${token}`;
    expect(await ask('/orders/7', {})).toBe(401);
    expect(await ask('/orders/7', { authorization })).toBe(200);
    expect(await ask('/orders/8', { authorization })).toBe(403);
    expect(await ask('/orders/7:secret', { authorization })).toBe(403);
    expect(await ask('/health', {})).toBe(200);
    const access = await check(new Request('http://service.test/orders/7', { headers: { authorization } }));
    expect([access.user, access.token, JSON.stringify(access).includes(token)]).toEqual(['alice', token, false]);
  });

  test('a denied request has the reason in its cause only', async () => {
    const access = await guardOperation(guard, document)({ headers: {}, method: 'GET', url: '/tenants' });
    if (access.allowed) throw new Error('allowed');
    expect(String(access.cause)).toBe('TypeError: denied: the operation has no x-permission');
    expect(access.body.message).toBe('Permission denied');
  });
});
