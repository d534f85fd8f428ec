import { describe, expect, onTestFinished, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import type { ReplicaOptions } from '../../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import type { AuthorizationType, Decider, Fidelity } from '../../../src/policy/index.ts';
import { liveReplica, question, replicaOf } from './support/replicas.ts';
import { alicesPool, everywhere, policyItem } from './support/scripted-pool.ts';

const config: MockConfig = {
  policies: {
    read: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['orders', 'orders:*'] }] },
    secret: { statements: [{ effect: 'Deny', actions: ['orders:*'], resources: ['orders:secret'] }] },
  },
  roles: { viewer: { policies: ['read', 'secret'] }, other: { policies: ['read'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: everywhere }],
};

async function startMock(more: MockConfig = {}) {
  const mock = await createMock({ ...config, ...more });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const client = createClient({
    ...mock.connection,
    credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
  });
  return { mock, client };
}

/** A replica of such a mock. Type `never` refuses every stream of changes, so there it follows a similar mock. */
async function liveReplicaOf(mock: Mock, more: MockConfig, options: Partial<ReplicaOptions> = {}) {
  const { type } = mock.settings.authorization;
  const followed = type === 'never' ? (await startMock({ ...more, authorization: { type: 'central' } })).mock : mock;
  return liveReplica({ transport: mockPool(followed), type, ...options });
}

const fidelities: readonly Fidelity[] = ['documented', 'sidecar'];
const types: readonly AuthorizationType[] = ['central', 'central-permissive', 'always', 'never'];

describe.each(fidelities.flatMap((fidelity) => types.map((type) => [fidelity, type] as const)))(
  'decides like the service: %s, %s',
  (fidelity, type) => {
    const subjects = [
      { user: 'alice' },
      { user: 'alice', roles: ['other'] },
      { user: 'bob' },
      { user: 'bob', roles: ['other', 'missing'] },
    ];
    const items = ['orders', 'orders:7', 'orders:secret', 'invoices', ''].flatMap((resource) =>
      ['orders:read', 'orders:write'].map((action) => ({ action, resource })),
    );

    test('equal those of the services in effect and message, for one item and for many', async () => {
      const { mock, client } = await startMock({ fidelity, authorization: { type } });
      const replica = await liveReplicaOf(mock, { fidelity });
      for (const subject of subjects) {
        for (const item of items) {
          const request = { ...subject, ...item };
          expect(replica.evaluate(request), JSON.stringify(request)).toEqual(
            await client.authorization.evaluate(request),
          );
        }
        for (const some of [items, items.slice(0, 1), []]) {
          const request = { ...subject, items: some };
          expect(replica.evaluateMany(request)).toEqual(await client.authorization.evaluateMany(request));
        }
      }
    });

    test('equal those of the services for tokens, that of a superuser included', async () => {
      const { mock, client } = await startMock({ fidelity, authorization: { type } });
      const replica = await liveReplicaOf(mock, { fidelity }, { tokens: { client } });
      const tokens = await Promise.all([
        mock.tokens.issue({ user: 'alice' }),
        mock.tokens.issue({ user: 'bob', groups: ['other'] }),
        mock.tokens.issue({ user: null }),
        mock.tokens.issue({ user: null, groups: ['other'] }),
      ]);
      for (const token of tokens) {
        const subject = await replica.authenticate(token);
        for (const item of items) {
          const remote = await client.authorization.evaluate({ token, ...item });
          expect(replica.evaluate({ ...subject, ...item }), JSON.stringify([subject, item])).toEqual(remote);
        }
      }
    });
  },
);

test('fidelity and type come from options, else from the transport: sidecar and central over a network', async () => {
  const { mock } = await startMock({ fidelity: 'documented', authorization: { type: 'always' } });
  const transport = mockPool(mock);
  const roles = { user: 'bob', roles: ['other'], action: 'orders:read', resource: 'orders' };
  expect((await liveReplica({ transport })).evaluate(roles).message).toBe('Allowed by always plugin');
  expect((await liveReplica({ transport, type: 'central' })).isAllowed(roles)).toBe(true);
  expect((await liveReplica({ transport, type: 'central', fidelity: 'sidecar' })).isAllowed(roles)).toBe(false);
  const plain = await liveReplica({ transport: alicesPool() });
  expect(plain.evaluate({ ...roles, roles: ['r'] }).message).toBe('Permission denied');
});

test('isAllowed, assertAllowed and explain agree with evaluate', async () => {
  const { mock } = await startMock();
  const replica = await liveReplica({ transport: mockPool(mock) });
  const secret = { ...question, resource: 'orders:secret' };
  expect([replica.isAllowed(question), replica.isAllowed(secret)]).toEqual([true, false]);
  expect(replica.assertAllowed(question)).toBeUndefined();
  expect(() => replica.assertAllowed(secret)).toThrow(
    expect.objectContaining({ code: 'PERMISSION_DENIED', action: 'orders:read', resource: 'orders:secret' }),
  );
  expect(replica.explain(secret)).toMatchObject({
    reason: 'explicit-deny',
    considered: [{ role: 'viewer', statement: { policy: 'secret', index: 0 } }],
  });
});

test('a replica is a Decider', async () => {
  const decider: Decider = await liveReplica({ transport: alicesPool() });
  expect(await decider.evaluate(question)).toEqual({ effect: 'Allow', message: 'Access Granted', allowed: true });
});

describe('skips and reports what cannot be parsed', () => {
  const broken = {
    statements: [...everywhere.statements, { effect: 'Deny' as const, actions: ['*'], resources: ['*x*'] }],
  };

  test.each(fidelities)('a policy and a scope, %s', async (fidelity) => {
    const transport = alicesPool();
    const replica = await liveReplica({ transport, fidelity });
    expect(replica.faults('alice')).toEqual([]);
    transport.last('PoolPolicyChanges').send(policyItem(2, 'p', broken));
    await expect.poll(() => replica.status.indexes.policies).toBe(2);
    expect(replica.faults('alice')).toMatchObject([{ role: 'r', policy: 'p', segment: '*x*' }]);
    expect(replica.evaluate(question).allowed).toBe(false);

    transport.last('PoolPolicyChanges').send(policyItem(3));
    transport
      .last('PoolUserRoleBindingChanges')
      .send({ name: 'alice:r', index: 2, item: { role: 'r', scope: broken } });
    await expect.poll(() => replica.status.indexes).toEqual({ policies: 3, roles: 1, bindings: 2, groupBindings: 0 });
    expect(replica.faults('alice')).toMatchObject([{ role: 'r', segment: '*x*' }]);
    expect(replica.faults('alice')[0]).not.toHaveProperty('policy');
    expect(replica.evaluate(question).allowed).toBe(false);
    expect([replica.faults('bob'), replica.status.lastError]).toEqual([[], undefined]);

    transport
      .last('PoolUserRoleBindingChanges')
      .send({ name: 'alice:r', index: 3, item: { role: 'r', scope: everywhere } });
    await expect.poll(() => replica.evaluate(question).allowed).toBe(true);
    expect(replica.faults('alice')).toEqual([]);
  });

  test('a role whose own scope cannot be parsed grants nothing to requests that name it', async () => {
    const transport = alicesPool();
    transport.state.roles.push({ name: 's', index: 2, item: { policies: ['p'], scope: broken } });
    const replica = await liveReplica({ transport, fidelity: 'documented' });
    expect(replica.isAllowed({ ...question, user: 'bob', roles: ['r'] })).toBe(true);
    expect(replica.isAllowed({ ...question, user: 'bob', roles: ['s'] })).toBe(false);
  });
});

describe('tokens', () => {
  const secret = 'canary-secret';
  const checks = async (tokens: ReplicaOptions['tokens'], more: MockConfig = {}) => {
    const { mock } = await startMock({ authentication: { keys: { active: secret } }, ...more });
    return { mock, replica: await liveReplica({ transport: mockPool(mock), tokens }) };
  };

  test('are verified with a shared secret', async () => {
    const { mock, replica } = await checks({ secret });
    expect(await replica.authenticate(await mock.tokens.issue({ user: 'alice', groups: ['g'] }))).toEqual({
      user: 'alice',
      roles: ['g'],
    });
  });

  test('are rejected with the reason if they are not valid', async () => {
    const { mock, replica } = await checks({ secret });
    const token = await mock.tokens.forge({ expired: true });
    const error = await replica.authenticate(token).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'REPLICA', reason: 'INVALID_TOKEN' });
    expect(error.message).toMatch(/token is expired/);
    expect(JSON.stringify(error) + error.stack).not.toContain(token);
  });

  test('need the option', async () => {
    const { replica } = await checks(undefined);
    await expect(replica.authenticate('t')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'tokens' });
  });
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'user'],
  ['nobody', { action: 'a:b', resource: '' }, 'user'],
  ['an empty user', { user: '', action: 'a:b', resource: '' }, 'user'],
  ['a user that is a number', { user: 5, action: 'a:b', resource: '' }, 'user'],
  [
    'roles alone, which the observed service treats as the superuser',
    { roles: ['r'], action: 'a:b', resource: '' },
    'user',
  ],
  ['a token', { token: 'canary', action: 'a:b', resource: '' }, 'token'],
  ['a user and the superuser', { user: 'alice', superuser: true, action: 'a:b', resource: '' }, 'superuser'],
  ['an empty action', { user: 'alice', action: '', resource: '' }, 'action'],
  ['no resource', { user: 'alice', action: 'a:b' }, 'resource'],
])('rejects %s as a question', async (_, request, field) => {
  const replica = await liveReplica({ transport: alicesPool() });
  const refusal = expect.objectContaining({ code: 'INVALID_ARGUMENT', field });
  // The casts: values that JavaScript callers may pass.
  expect(() => replica.evaluate(request as never)).toThrow(refusal);
  expect(() => replica.explain(request as never)).toThrow(refusal);
  expect(() => replica.evaluate(request as never)).not.toThrow(/canary/);
});

test('a replica checks each item of a question for many', async () => {
  const replica = await liveReplica({ transport: alicesPool() });
  const items = [{ action: 'a:b', resource: '' }, { action: 'a:b' }];
  expect(() => replica.evaluateMany({ user: 'alice', items } as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'items[1].resource' }),
  );
});

test('a replica makes no decision before a complete state, neither Allow nor Deny', async () => {
  const transport = alicesPool();
  transport.state.bindings = [];
  transport.onOpen = ({ method }) => method === 'GetUserRoleBinding';
  const replica = replicaOf({ transport });
  await expect.poll(() => transport.streams.length).toBe(3);
  const notReady = expect.objectContaining({ code: 'REPLICA', reason: 'NOT_READY' });
  for (const ask of [
    () => replica.evaluate(question),
    () => replica.evaluateMany({ user: 'alice', items: [] }),
    () => replica.isAllowed(question),
    () => replica.assertAllowed(question),
    () => replica.explain(question),
    () => replica.faults('alice'),
  ]) {
    expect(ask).toThrow(notReady);
  }
  transport.last('GetUserRoleBinding').end();
  await replica.ready();
  expect(replica.evaluate(question).allowed).toBe(false);
});
