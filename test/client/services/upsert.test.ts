import { expect, test } from 'vitest';
import { createClient, credentials, type Policy, type Role } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from './support.ts';

const allow = (...actions: string[]): Policy => ({ statements: [{ effect: 'Allow', actions, resources: ['*'] }] });
const refusal = (status: number) => Response.json({ code: 0, message: '' }, { status });

/** A client that receives these statuses in order; 200 with `stored`. */
function answering(stored: unknown, ...statuses: number[]) {
  return clientOver(() => {
    const status = statuses.shift() ?? 500;
    return status === 200 ? Response.json(stored) : refusal(status);
  });
}

test.each<[a: Policy, b: Policy]>([
  [allow('a:b', 'c:d'), allow('c:d', 'a:b', 'a:b')],
  [{ ...allow('a:b'), description: '' }, allow('a:b')],
  [
    { statements: [...allow('a:b').statements, ...allow('c:d').statements] },
    { statements: [...allow('c:d').statements, ...allow('a:b').statements, ...allow('a:b').statements] },
  ],
])('an existing policy is not written: %j', async (stored, given) => {
  const { client, sent } = answering({ name: 'p', index: 7, item: stored }, 200);
  const answer = await client.authorization.policies.upsert('p', given);
  expect(answer).toMatchObject({ name: 'p', index: 7, changed: false });
  expect(sent.map(({ method }) => method)).toEqual(['GET']);
});

const role: Role = { policies: ['p', 'q'], scope: allow('a:b'), description: 'd' };
test.each<[stored: Role, given: Role, changed: boolean]>([
  [role, { ...role, policies: ['q', 'p', 'q'] }, false],
  [{ policies: [], scope: null, description: '' }, { policies: [] }, false],
  [role, { ...role, policies: ['p'] }, true],
  [role, { ...role, description: '' }, true],
  [role, { ...role, scope: allow('a:c') }, true],
  [role, { policies: ['p', 'q'], description: 'd' }, true],
  [{ policies: [], scope: null }, { policies: [], scope: { statements: [] } }, true],
  [{ policies: [], scope: { statements: [] } }, { policies: [] }, true],
])('the role %j, given %j, is written: %s', async (item, given, changed) => {
  const { client, sent } = answering({ name: 'r', index: 1, item }, 200, 200);
  expect((await client.authorization.roles.upsert('r', given)).changed).toBe(changed);
  expect(sent.map(({ method }) => method)).toEqual(changed ? ['GET', 'PUT'] : ['GET']);
});

test('upsert creates what is missing, writes if reading is forbidden, and fails if reading fails', async () => {
  const ways: [statuses: number[], methods: string[]][] = [
    [
      [404, 200],
      ['GET', 'POST'],
    ],
    [
      [403, 200],
      ['GET', 'PUT'],
    ],
    [
      [403, 404, 200],
      ['GET', 'PUT', 'POST'],
    ],
  ];
  for (const [statuses, methods] of ways) {
    const { client, sent } = answering({ name: 'p', index: 1, item: allow('a:b') }, ...statuses);
    // The forbidden read returned nothing to compare, so it was written.
    expect((await client.authorization.policies.upsert('p', allow('a:b'))).changed).toBe(true);
    expect(sent.map(({ method }) => method)).toEqual(methods);
  }
  for (const status of [400, 401, 500]) {
    const { client, sent } = answering({}, status);
    expect((await failureOf(client.authorization.policies.upsert('p', allow('a:b')))).status).toBe(status);
    expect(sent).toHaveLength(1);
  }
});

test('upsert sends a copy of its arguments, and gives up if others keep interfering', async () => {
  const statuses = [404, 409, 404, 200];
  const { client, sent } = clientOver(() => {
    policy.description = 'changed';
    const status = statuses.shift() ?? 500;
    return status === 200 ? Response.json({ name: 'p', index: 1, item: { statements: [] } }) : refusal(status);
  });
  const policy = { statements: [], description: 'given' };
  await client.authorization.policies.upsert('p', policy);
  const body = { item: { statements: [], description: 'given' } };
  expect(sent.map(({ method, body }) => [method, body])).toEqual([
    ['GET', undefined],
    ...['POST', 'PUT', 'POST'].map((method) => [method, body]),
  ]);
  statuses.push(404, 409, 404, 409, 404, 409, 404);
  expect((await failureOf(client.authorization.policies.upsert('p', policy))).status).toBe(404);
  expect(statuses).toEqual([]);
});

test('a binding is assigned if missing, left if equal, and otherwise gets the new scope', async () => {
  await using mock = await createMock({});
  const token = await mock.tokens.issue({ user: null });
  const { bindings } = createClient({ ...mock.connection, credentials: credentials.bearer(token) }).authorization;
  const name = { user: 'ü user', role: 'r:1' };
  const assigned = await bindings.upsert({ ...name, scope: allow('a:b', 'c:d') });
  expect(assigned).toMatchObject({ ...name, changed: true, index: expect.any(Number) });
  const writes = () => mock.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  const same = await bindings.upsert({ ...name, scope: allow('c:d', 'a:b', 'a:b') });
  expect(same).toEqual({ ...name, scope: assigned.scope, changed: false });
  expect(writes()).toEqual(['POST']);
  const replaced = await bindings.upsert({ ...name, scope: { statements: [] } });
  expect(replaced).toMatchObject({ changed: true, scope: { statements: [] } });
  expect(replaced.index).toBeGreaterThan(assigned.index ?? Number.POSITIVE_INFINITY);
  await bindings.upsert({ ...name, role: 'another', scope: allow('a:b') });
  expect(writes()).toEqual(['POST', 'PUT', 'POST']);
  expect((await bindings.list(name.user)).map(({ role }) => role)).toEqual(['another', 'r:1']);
});

test('upsert writes a binding that the client may not read', async () => {
  const stored = { user: 'u', role: 'r', scope: allow('a:b'), index: 3 };
  const { client, sent } = answering(stored, 403, 404, 200);
  const request = { user: 'u', role: 'r', scope: allow('a:b') };
  expect(await client.authorization.bindings.upsert(request)).toMatchObject({ index: 3, changed: true });
  expect(sent.map(({ method, path }) => `${method} ${path.split('/user/')[1]}`)).toEqual([
    'GET u/role',
    'PUT u/role/r',
    'POST u/role/r',
  ]);
});

test('a token that may only write can upsert policies', async () => {
  const write = { effect: 'Allow', actions: ['rbac:UpdatePolicy', 'rbac:CreatePolicy'], resources: ['*'] } as const;
  await using mock = await createMock({
    policies: { write: { statements: [write] } },
    roles: { writer: { policies: ['write'] } },
    bindings: [{ user: 'svc', role: 'writer', scope: allow('*') }],
  });
  const token = await mock.tokens.issue({ user: 'svc' });
  const { policies } = createClient({ ...mock.connection, credentials: credentials.bearer(token) }).authorization;
  expect((await policies.upsert('p', allow('a:b'))).changed).toBe(true);
  expect((await policies.upsert('p', allow('a:b'))).changed).toBe(true);
  expect(mock.requests.map(({ method, status }) => `${method} ${status}`)).toEqual([
    'GET 403',
    'PUT 404',
    'POST 200',
    'GET 403',
    'PUT 200',
  ]);
});
