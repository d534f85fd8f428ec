import { describe, expect, test } from 'vitest';
import { createGuard, type Guard, operationGuards } from '../../../src/enforce/guard/index.ts';
import { createClient, isInvalidArgumentError } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import document from '../../client/openapi/documents/orders.json' with { type: 'json' };
import { guardOf } from '../../support/guards.ts';

const needs = (resource: string) => ({ 'x-permission': { action: 'a:read', resource } });
const request = { headers: {}, method: 'GET', url: '/any' };

/** A guard that allows everything, and the questions that it was asked. */
function recordingGuard() {
  const asked: string[] = [];
  const check: Guard['check'] = async (_, { action, resource }) => {
    asked.push(`${action} ${resource}`);
    return { allowed: true, status: 200, token: 'token' };
  };
  return { guard: guardOf(check), asked };
}

/** A parameter of any text; those of a test override it. */
const texts = [{ name: 'id', in: 'path', schema: { type: 'string' } }];

/** The question about the operation of a document's only path, or `denied`. */
async function questionOf(params: object, parameters: readonly object[] = [], resource = 'o:{id}') {
  const { guard, asked } = recordingGuard();
  const paths = { '/o/{id}': { get: { ...needs(resource), parameters: [...texts, ...parameters] } } };
  const { allowed } = await operationGuards(guard, { paths })
    .for('GET /o/{id}')
    .check(request, { params: params as { id: string } });
  return allowed ? asked.join() || 'public' : 'denied';
}

describe('a check beside the handler', () => {
  test('asks for the permission of its operation, with the parameters of the framework', async () => {
    const { guard, asked } = recordingGuard();
    const operations = operationGuards(guard, document);
    const access = await operations.for('GET /orders/{id}').check(request, { params: { id: 7 } });
    await operations.for('DELETE /orders/{id}').check(new Headers(), { params: { id: '8' } });
    await operations.for('GET /orders').check(request);
    expect(asked).toEqual(['orders:read order:7', 'orders:delete order:8', 'orders:list orders']);
    expect(access.operation).toEqual({ method: 'get', path: '/orders/{id}', parameters: { id: '7' } });
  });

  test('allows a public operation without a question, and denies one without x-permission', async () => {
    const { guard, asked } = recordingGuard();
    const operations = operationGuards(guard, document);
    expect(await operations.for('GET /health').check(request)).toEqual({
      allowed: true,
      status: 200,
      operation: { method: 'get', path: '/health', parameters: {} },
    });
    const access = await operations.for('GET /tenants').check({ ...request, method: 'head' });
    expect([access.allowed, access.status, access.response?.body]).toEqual([false, 403, null]);
    expect(access.allowed ? '' : String(access.cause)).toBe('TypeError: denied: the operation has no x-permission');
    expect(asked).toEqual([]);
  });

  test.each(['', '.', '..', 'a/b', 'a\\..', 'a:b', 'a\n', 'a\0'])('denies the value %j', async (id) => {
    expect(await questionOf({ id })).toBe('denied');
  });

  test.each(['7', 'a b', 'ü', '%2e', '*', 'a.b', '07'])('takes the value %j as it is', async (id) => {
    expect(await questionOf({ id })).toBe(`a:read o:${id}`);
  });

  test('takes colons if the resource does', async () => {
    expect(await questionOf({ id: 'a:b' }, [], 'o:{id*}')).toBe('a:read o:a:b');
  });

  test('denies a value that is not in its plain form by the schema', async () => {
    const integer = [{ name: 'id', in: 'path', schema: { type: 'integer' } }];
    for (const id of ['07', '1.5', 1.5, '9007199254740993']) expect(await questionOf({ id }, integer)).toBe('denied');
    for (const id of ['7', 7, -7, 0]) expect(await questionOf({ id }, integer)).toBe(`a:read o:${id}`);
  });

  test('takes a boolean that the framework has parsed', async () => {
    const flag = [{ name: 'id', in: 'path', schema: { type: 'boolean' } }];
    for (const id of [true, 'true']) expect(await questionOf({ id }, flag)).toBe('a:read o:true');
    for (const id of ['yes', 1, '1', 'True']) expect(await questionOf({ id }, flag)).toBe('denied');
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53), 1e21])('denies the number %d', async (id) => {
    expect(await questionOf({ id })).toBe('denied');
  });

  test.each([
    ['no parameters', undefined],
    ['a promise', { params: Promise.resolve({ id: '7' }) }],
    ['another name', { params: { key: '7' } }],
    ['a list', { params: { id: ['7'] } }],
    ['an inherited value', { params: Object.create({ id: '7' }) }],
    ['null', { params: { id: null } }],
  ])('rejects %s', async (_, parsed) => {
    const { guard, asked } = recordingGuard();
    // The cast: the types refuse these.
    const check = operationGuards(guard, document).for('GET /orders/{id}').check as (...given: unknown[]) => unknown;
    const error: unknown = await Promise.resolve(check(request, parsed)).catch((thrown: unknown) => thrown);
    expect(isInvalidArgumentError(error) && error.message).toMatch(/^params\.id: expected text, a number or a boolean/);
    expect(asked).toEqual([]);
  });

  test('takes the parameters that a framework keeps without a prototype, and ignores others', async () => {
    expect(await questionOf(Object.assign(Object.create(null), { id: '7', 0: 'x' }))).toBe('a:read o:7');
  });

  test('keeps the value out of the error', async () => {
    const canary = ['c4nary'];
    const error: unknown = await questionOf({ id: canary }).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) + String(error)).not.toContain('c4nary');
  });
});

describe('the keys of a document', () => {
  test.each(['GET /order/{id}', 'get /orders/{id}', 'PUT /orders/{id}', '/orders/{id}', '', 'GET /orders/{key}'])(
    'do not include %j',
    (key) => {
      const operations = operationGuards(recordingGuard().guard, document);
      expect(() => operations.for(key)).toThrow(/^key: expected an operation of the document/);
    },
  );

  test('are listed as unguarded until a check is requested', () => {
    const paths = { '/a': { get: needs('a'), post: needs('a') }, '/b/{id}': { delete: {} }, '/c': { get: needs('c') } };
    const operations = operationGuards(recordingGuard().guard, { paths });
    expect(new Set(operations.unguarded())).toEqual(new Set(['GET /a', 'POST /a', 'GET /c', 'DELETE /b/{id}']));
    operations.for('GET /a');
    operations.for('DELETE /b/{id}');
    operations.for('GET /a');
    expect(new Set(operations.unguarded())).toEqual(new Set(['POST /a', 'GET /c']));
  });

  test('are refused without a guard', () => {
    expect(() => operationGuards({} as Guard, document)).toThrow(/^guard: expected a guard/);
    expect(() => operationGuards(recordingGuard().guard, [])).toThrow(/^document: expected/);
  });
});

test('answers 401, 403 and 200 over a mock, as the guard does', async () => {
  const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
  const mock = await createMock({
    users: [{ name: 'alice' }],
    policies: { readers: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:7'] }] } },
    roles: { reader: { policies: ['readers'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: everything }],
  });
  const client = createClient(mock.connection);
  const guard = createGuard(client, { identify: true });
  const getOrder = operationGuards(guard, document).for('GET /orders/{id}');
  const { token } = await client.authentication.createToken({ user: 'alice' });
  const ask = (id: string, headers: Record<string, string>) => getOrder.check({ headers }, { params: { id } });
  const headers = { authorization: `Bearer ${token}` };
  expect((await ask('7', {})).status).toBe(401);
  expect((await ask('8', headers)).status).toBe(403);
  const access = await ask('7', headers);
  expect([access.status, access.user, access.token]).toEqual([200, 'alice', token]);
  expect(JSON.stringify(access)).not.toContain(token);
});
