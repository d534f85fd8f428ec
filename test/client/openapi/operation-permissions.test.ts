import { describe, expect, test } from 'vitest';
import { allowedOperations, permissionsOf, policyForOperations } from '../../../src/client/openapi/index.ts';
import { createClient, credentials, isInvalidArgumentError } from '../../../src/index.ts';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import document from './documents/orders.json' with { type: 'json' };

const withResource = (resource: string, path = '/a/{id}/{key}') => ({
  paths: { [path]: { get: { operationId: 'read', 'x-permission': { action: 'a:read', resource } } } },
});

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
describe('permissionsOf', () => {
  test('lists the operations with their permissions, the most specific path first', () => {
    const all = permissionsOf(document);
    expect(all).toHaveLength(16);
    const paths = all.map(({ path }) => path);
    expect(paths.indexOf('/orders/export')).toBeLessThan(paths.indexOf('/orders/{id}'));
    const of = (path: string) => all.find((one) => one.path === path && one.method === 'get');
    expect(of('/orders/{id}')?.permission).toEqual({ action: 'orders:read', resource: 'order:{id}' });
    expect(of('/health')).toEqual({ method: 'get', path: '/health', public: true });
    expect(of('/tenants')).toEqual({ method: 'get', path: '/tenants', public: false });
    expect(permissionsOf(withResource('a:{id:text}'))[0]?.operationId).toBe('read');
  });

  test.each([[null], [{}], [{ paths: [] }], [withResource('a:{unknown}')]])('refuses %j', (given) => {
    expect(() => permissionsOf(given as object)).toThrow(/^document/);
  });
});

describe('allowedOperations', () => {
  async function aliceWith(policy: NonNullable<MockConfig['policies']>[string]) {
    const mock = await createMock({
      users: [{ name: 'alice', password: 'pw' }],
      policies: { own: policy },
      roles: { own: { policies: ['own'] } },
      bindings: [{ user: 'alice', role: 'own', scope: everything }],
    });
    const login = credentials.login({ username: 'alice', password: 'pw' });
    return { mock, client: createClient({ ...mock.connection, credentials: login }) };
  }

  test('returns the operations that the caller may use, by one evaluate-many', async () => {
    const { mock, client } = await aliceWith(
      policyForOperations(document, [
        { method: 'get', path: '/orders/{id}' },
        { method: 'delete', path: '/orders/{id}' },
        { method: 'get', path: '/orders/export' },
      ]),
    );
    const allowed = await allowedOperations(client, document, { path: { id: 7 } });
    expect(allowed.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'delete /orders/{id}',
      'get /health',
      'get /orders/export',
      'get /orders/{id}',
      'get /orders/{id}/invoice',
      'get /orders/{id}/note',
      'post /login',
    ]);
    expect(mock.requests.filter(({ path }) => path.includes('evaluate'))).toHaveLength(1);
  });

  test('leaves out operations whose parameters have no value, or one that a guard denies', async () => {
    const { client } = await aliceWith({ statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] });
    const pathsOf = async (path?: Record<string, string>) =>
      new Set((await allowedOperations(client, document, { path })).map((one) => one.path));
    expect(await pathsOf()).toEqual(new Set(['/orders', '/orders/export', '/health', '/login']));
    for (const path of ['..', 'a/b', 'a\n']) expect(await pathsOf({ path })).not.toContain('/files/{path}');
    expect(await pathsOf({ id: '7:secret', path: 'a:b', name: '' })).toEqual(
      new Set(['/orders', '/orders/export', '/health', '/login', '/files/{path}']),
    );
  });

  test('asks for each item of a list, in the style of the document', async () => {
    const { mock, client } = await aliceWith({
      statements: [{ effect: 'Allow', actions: ['*'], resources: ['o:1', 'o:2'] }],
    });
    const of = (style?: string) => {
      const parameters = [{ name: 'ids', in: 'path', style, schema: { type: 'array', items: { type: 'integer' } } }];
      const permission = { action: 'o:read', resource: 'o:{ids}' };
      return { paths: { '/o/{ids}': { get: { 'x-permission': permission, parameters } } } };
    };
    for (const style of [undefined, 'label']) {
      expect(await allowedOperations(client, of(style), { path: { ids: [1, 2] } })).toHaveLength(1);
      for (const ids of [[1, 3], [], ['01'], '1:2']) {
        expect(await allowedOperations(client, of(style), { path: { ids } })).toEqual([]);
      }
    }
    expect(mock.requests.filter(({ path }) => path.includes('evaluate'))).toHaveLength(4);
  });

  test.each([
    ['label', '.'],
    ['simple', ','],
  ])('an exploded %s is split at each %s, so an item with one is left out', async (style, separator) => {
    const { client } = await aliceWith({
      statements: [{ effect: 'Allow', actions: ['*'], resources: ['o:a', 'o:b', 'o:c-d'] }],
    });
    const list = { type: 'array', items: { type: 'string' } };
    const parameters = [{ name: 'ids', in: 'path', style, explode: true, schema: list }];
    const get = { 'x-permission': { action: 'o:read', resource: 'o:{ids}' }, parameters };
    const allowedFor = async (...ids: string[]) =>
      (await allowedOperations(client, { paths: { '/o/{ids}': { get } } }, { path: { ids } })).length === 1;
    expect(await allowedFor('a', 'c-d')).toBe(true);
    expect(await allowedFor('a', 'e')).toBe(false);
    expect(await allowedFor(`a${separator}b`)).toBe(false);
  });

  test('asks nothing if there is nothing to ask', async () => {
    const client = { authorization: { evaluateMany: () => Promise.reject(new Error('asked')) } };
    expect(await allowedOperations(client, { paths: { '/': { get: { 'x-permission': 'public' } } } })).toEqual([
      { method: 'get', path: '/' },
    ]);
  });

  test('refuses invalid values and unknown options', async () => {
    const client = createClient({ url: 'http://service.test' });
    for (const [field, options] of Object.entries({
      'path.id': { path: { id: [{}] } },
      'path.key': { path: { id: 7, key: {} } },
      'path.name': { path: { name: Number.NaN } },
      time: { time: 1 },
      path: { path: 7 },
    })) {
      const error: unknown = await allowedOperations(client, document, options as object).catch((thrown) => thrown);
      expect(isInvalidArgumentError(error) && error.field).toBe(field);
    }
    await expect(allowedOperations({} as never, document)).rejects.toThrow(/client/);
  });
});

describe('policyForOperations', () => {
  const all = permissionsOf(document).filter(({ permission }) => permission !== undefined);

  test('allows each operation on its narrowest pattern', () => {
    expect(policyForOperations(document, all).statements).toEqual([
      { effect: 'Allow', actions: ['orders:create', 'orders:export', 'orders:list'], resources: ['orders'] },
      { effect: 'Allow', actions: ['reports:read'], resources: ['report:*'] },
      { effect: 'Allow', actions: ['orders:delete', 'orders:read', 'orders:write'], resources: ['order:*'] },
      { effect: 'Allow', actions: ['files:read'], resources: ['file:*'] },
    ]);
  });

  test.each([
    ['a:{id:text}', 'a:*', ['a:1']],
    ['{id:text}', '*', ['1']],
    ['a:x{id:text}', 'a:x*', ['a:x1']],
    ['a:{id:text}x', 'a:*x', ['a:1x']],
    ['a:{id:text}x{key:text}', 'a:*', ['a:1x2']],
    ['a:{id:text}x*', 'a:*', ['a:1x*']],
    ['a:x{id:text*}', 'a:*', ['a:x1:2']],
    ['a:{id:text}:b', 'a:*:b', ['a:1:b']],
    ['a:{id:text}:{key:text}', 'a:*:*', ['a:1:2']],
    ['a:{id:text*}', 'a:*', ['a:1', 'a:1:2']],
    ['a:{id:text*}:b', 'a:*', ['a:1:b', 'a:1:2:b']],
    ['a:x-{id:text}-{key:text}:b', 'a:x-*:b', ['a:x-1-2:b']],
    ['a', 'a', ['a']],
  ])('%s becomes %s', (resource, pattern, examples) => {
    const given = withResource(resource);
    const policy = policyForOperations(given, [{ method: 'get', path: '/a/{id}/{key}' }]);
    expect(policy.statements[0]?.resources).toEqual([pattern]);
    const evaluator = createEvaluator({
      policies: { own: policy },
      roles: { own: { policies: ['own'] } },
      bindings: [{ user: 'alice', role: 'own', scope: everything }],
    });
    for (const each of examples) {
      expect(evaluator.evaluate({ user: 'alice', action: 'a:read', resource: each }).allowed).toBe(true);
      expect(evaluator.evaluate({ user: 'alice', action: 'a:write', resource: each }).allowed).toBe(false);
    }
  });

  test('has no statement for public operations, or without operations', () => {
    expect(policyForOperations(document, [{ method: 'get', path: '/health' }])).toEqual({ statements: [] });
    expect(policyForOperations(document, [])).toEqual({ statements: [] });
  });

  test.each([
    ['an unknown path', { method: 'get', path: '/order' }],
    ['an unknown method', { method: 'put', path: '/orders/{id}' }],
    ['an operation without x-permission', { method: 'get', path: '/tenants' }],
  ] as const)('refuses %s', (_, operation) => {
    expect(() => policyForOperations(document, [operation])).toThrow(/^operations\[0\]/);
  });
});
