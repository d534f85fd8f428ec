import { describe, expect, onTestFinished, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { type ClientOptions, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator, type EvaluatorBatch, type EvaluatorQuestion } from '../../../src/policy/index.ts';
import { replicaOf } from '../../enforce/replica/support/replicas.ts';
import { everything } from '../../support/calls.ts';

const authz = '/_integration/authorization/v1';
const state = {
  policies: { p: everything },
  roles: { r: { policies: ['p'] } },
  bindings: [{ user: 'alice', role: 'r', scope: everything }],
};
const alice = { user: 'alice', action: 'orders:read', resource: 'orders' };
const bob = { ...alice, user: 'bob' };

async function start(options: Omit<ClientOptions, 'url'> = {}) {
  const mock = await createMock(state);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const own = credentials.bearer(await mock.tokens.issue({ user: null }));
  const client = createClient({ ...mock.connection, credentials: own, ...options });
  const asked = () => mock.requests.map(({ path }) => path).filter((path) => path.startsWith('/_integration'));
  return { mock, client, asked };
}

describe('while the replica is live', () => {
  test('evaluate, evaluateMany, isAllowed and assertAllowed are local, with the service’s own answers', async () => {
    const { mock, client: remote, asked } = await start();
    const replica = replicaOf({ transport: mockPool(mock) });
    await replica.ready();
    const { authorization } = createClient({ ...mock.connection, replica });
    mock.requests.clear();
    const many = {
      user: 'alice',
      items: [alice, { action: 'a:b', resource: '' }].map(({ action, resource }) => ({ action, resource })),
    };
    const local = await Promise.all([
      authorization.evaluate(alice),
      authorization.evaluate(bob),
      authorization.evaluateMany(many),
      authorization.isAllowed(alice),
      authorization.assertAllowed(alice),
    ]);
    await expect(authorization.assertAllowed(bob)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(asked()).toEqual([]);
    expect(local).toEqual([
      await remote.authorization.evaluate(alice),
      await remote.authorization.evaluate(bob),
      await remote.authorization.evaluateMany(many),
      true,
      undefined,
    ]);
  });

  test('tokens, and aborted or invalid questions, are treated as without the replica', async () => {
    const { mock, asked } = await start();
    const replica = replicaOf({ transport: mockPool(mock) });
    await replica.ready();
    const { authorization } = createClient({ ...mock.connection, replica });
    const token = await mock.tokens.issue({ user: 'alice' });
    mock.requests.clear();
    expect(await authorization.isAllowed({ token, action: 'orders:read', resource: 'orders' })).toBe(true);
    expect(asked()).toEqual([`${authz}/evaluate-token`]);
    await expect(authorization.evaluate(alice, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(authorization.evaluate({ ...alice, user: '' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('while the replica is not live', () => {
  const notLive = async (whenNotLive?: ClientOptions['whenNotLive']) => {
    const { mock, asked } = await start();
    const replica = replicaOf({ transport: { ...mockPool(mock), open: () => new Promise(() => {}) as never } });
    return { asked, client: createClient({ ...mock.connection, replica, whenNotLive }) };
  };

  test.each([undefined, 'remote'] as const)('whenNotLive %s: the service decides', async (whenNotLive) => {
    const { client, asked } = await notLive(whenNotLive);
    expect(await client.authorization.isAllowed(alice)).toBe(true);
    expect(await client.authorization.evaluateMany({ user: 'alice', items: [] })).toMatchObject({ allowed: false });
    expect(asked()).toEqual([`${authz}/evaluate`, `${authz}/evaluate-many`]);
  });

  test.each(['serve', 'refuse'] as const)('whenNotLive %s: a replica without a state rejects', async (whenNotLive) => {
    const { client, asked } = await notLive(whenNotLive);
    const notReady = { code: 'REPLICA', reason: 'NOT_READY' };
    await expect(client.authorization.evaluate(alice)).rejects.toMatchObject(notReady);
    await expect(client.authorization.evaluateMany({ user: 'alice', items: [] })).rejects.toMatchObject(notReady);
    expect(asked()).toEqual([]);
  });
});

test.each([
  ['serve', 'Access Granted'],
  ['refuse', 'stale'],
  ['remote', 'Denied by never plugin'],
] as const)('a decider that is stale, %s: %s', async (whenNotLive, expected) => {
  const mock = await createMock({ authorization: { type: 'never' } });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const evaluator = createEvaluator(state);
  const replica = {
    live: false,
    evaluate: (request: EvaluatorQuestion) => evaluator.evaluate(request),
    evaluateMany: (request: EvaluatorBatch) => evaluator.evaluateMany(request),
    assertLive() {
      throw new Error('stale');
    },
  };
  const { authorization } = createClient({ ...mock.connection, replica, whenNotLive });
  const said = await authorization.evaluate(alice).then(
    ({ message }) => message,
    ({ message }) => message,
  );
  expect(said).toBe(expected);
});

test('any other decider is always live', async () => {
  const { mock, asked } = await start();
  const { authorization } = createClient({
    ...mock.connection,
    replica: createEvaluator(state),
    whenNotLive: 'refuse',
  });
  expect([await authorization.isAllowed(alice), await authorization.isAllowed(bob)]).toEqual([true, false]);
  expect(asked()).toEqual([]);
});

test.each<[string, object]>([
  ['replica', { replica: {} }],
  ['replica', { replica: { evaluate: () => true } }],
  ['whenNotLive', { whenNotLive: 'local' }],
])('validates %s: %j', (field, options) => {
  expect(() => createClient({ url: 'http://mock.test', ...options })).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', field }),
  );
});
