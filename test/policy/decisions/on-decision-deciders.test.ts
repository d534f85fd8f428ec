import { describe, expect, onTestFinished, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createPdp } from '../../../src/enforce/authzen/index.ts';
import { createGuard } from '../../../src/enforce/guard/index.ts';
import { createReplica, type ReplicaOptions } from '../../../src/enforce/replica/index.ts';
import { type ClientOptions, createClient, credentials } from '../../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../src/mock/index.ts';
import type { MadeDecision } from '../../../src/policy/decision-line/made-decision.ts';
import { decisionLog } from '../../../src/policy/decisions/index.ts';
import { collect } from './collect.ts';

const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const config: MockConfig = {
  now: '2026-11-23T04:06:12Z',
  policies: { reading: { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] }] } },
  roles: { viewer: { policies: ['reading'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
};
const read = { action: 'orders:read', resource: 'order:7' };
const write = { action: 'orders:write', resource: 'order:7' };
const context = { parameters: { ip: { values: ['10.0.0.1'] } } };
const canary = 'canary-7d1e';

async function start(more: MockConfig = {}): Promise<Mock> {
  const mock = await createMock({ ...config, ...more });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

/** A hook, and what it was told. */
function listen() {
  const told: MadeDecision[] = [];
  return { told, onDecision: (one: MadeDecision) => void told.push(one) };
}

async function replicaOf(mock: Mock, options: Partial<ReplicaOptions> = {}) {
  const replica = createReplica({ transport: mockPool(mock), ...options });
  onTestFinished(() => replica.close());
  await replica.ready();
  return replica;
}

const permissive = { fidelity: 'sidecar', authorization: { type: 'central-permissive' } } as const;

describe('a mock', () => {
  async function told(more: MockConfig = {}) {
    const mock = await start(more);
    const { told, onDecision } = listen();
    const stop = await mock.onDecision(onDecision);
    return { mock, told, stop, client: createClient(mock.connection) };
  }
  const common = {
    time: '2026-11-23T04:06:12.000Z',
    source: 'mock',
    enforced: true,
    revision: { policies: 1, roles: 1, bindings: 1 },
  };

  test('reports each decision with its time, revision and the ids of the request', async () => {
    const { told: decisions, client, stop } = await told();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const headers = { traceparent, 'x-request-id': 'req-1', 'x-other': canary };
    await client.authorization.evaluate({ user: 'alice', roles: ['r'], ...read, context }, { headers });
    await client.authorization.evaluateMany({ user: 'alice', items: [read, write] });
    stop();
    await client.authorization.evaluate({ user: 'alice', ...read });
    const alice = { user: 'alice', groups: [] };
    expect(decisions).toEqual([
      {
        ...common,
        subject: { user: 'alice', groups: ['r'] },
        ...read,
        effect: 'Allow',
        reason: 'allowed',
        traceId,
        spanId: '00f067aa0ba902b7',
        requestId: 'req-1',
        context,
      },
      { ...common, subject: alice, ...read, effect: 'Allow', reason: 'allowed' },
      { ...common, subject: alice, ...write, effect: 'Deny' },
    ]);
    expect(JSON.stringify(decisions)).not.toContain(canary);
  });

  test('reports the permissions of the management service, and revisions grow', async () => {
    const { told: decisions, mock } = await told();
    const token = await mock.tokens.issue({ user: null });
    const { authorization } = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
    await authorization.policies.upsert('other', everything);
    await authorization.policies.list().next();
    expect(decisions.map(({ action, reason, subject }) => [action, reason, subject])).toContainEqual([
      'rbac:CreatePolicy',
      'superuser',
      {},
    ]);
    expect(decisions.at(-1)?.revision).toEqual({ policies: 2, roles: 1, bindings: 1 });
    expect(JSON.stringify(decisions)).not.toContain(token);
  });

  test('reports what was evaluated where the caller is let through', async () => {
    const { told: decisions, client, mock } = await told(permissive);
    expect(await client.authorization.isAllowed({ user: 'alice', ...write })).toBe(true);
    mock.fail({ evaluation: true });
    expect(await client.authorization.isAllowed({ user: 'alice', ...read })).toBe(true);
    expect(decisions).toMatchObject([
      { effect: 'Deny', enforced: false },
      { effect: 'Deny', reason: 'failed', enforced: false },
    ]);
  });

  test('reports a permissive Deny of documented fidelity as enforced, and a failure as let through', async () => {
    const { told: decisions, client, mock } = await told({ authorization: { type: 'central-permissive' } });
    expect(await client.authorization.isAllowed({ user: 'alice', ...write })).toBe(false);
    mock.fail({ evaluation: true });
    expect(await client.authorization.isAllowed({ user: 'alice', ...read })).toBe(true);
    expect(decisions).toMatchObject([
      { effect: 'Deny', enforced: true },
      { effect: 'Deny', reason: 'failed', enforced: false },
    ]);
  });

  test('refuses what is not a function, and ignores what a hook throws', async () => {
    const mock = await start();
    await expect(mock.onDecision('record' as never)).rejects.toThrow('hook: expected a function, got a string');
    await mock.onDecision(() => {
      throw new Error(canary);
    });
    expect(await createClient(mock.connection).authorization.isAllowed({ user: 'alice', ...read })).toBe(true);
  });
});

describe('a replica', () => {
  test('reports each decision with its revision', async () => {
    const { told, onDecision } = listen();
    const replica = await replicaOf(await start(), { onDecision });
    const roles = ['r'];
    replica.evaluate({ user: 'alice', roles, ...read, context });
    replica.evaluateMany({ user: 'alice', items: [read, write] });
    replica.isAllowed({ superuser: true, ...write });
    expect(() => replica.assertAllowed({ user: 'bob', ...read })).toThrow('Permission denied');
    roles.push('later');
    const common = {
      source: 'replica',
      enforced: true,
      revision: { policies: 1, roles: 1, bindings: 1 },
      durationUs: expect.any(Number),
    };
    expect(told).toEqual([
      {
        ...common,
        subject: { user: 'alice', groups: ['r'] },
        ...read,
        effect: 'Allow',
        reason: 'allowed',
        context,
      },
      { ...common, subject: { user: 'alice' }, ...read, effect: 'Allow', reason: 'allowed' },
      { ...common, subject: { user: 'alice' }, ...write, effect: 'Deny' },
      { ...common, subject: {}, ...write, effect: 'Allow', reason: 'superuser' },
      { ...common, subject: { user: 'bob' }, ...read, effect: 'Deny' },
    ]);
  });

  test.each([
    ['sidecar', { effect: 'Deny', enforced: false }],
    ['documented', { effect: 'Deny', enforced: true }],
  ] as const)('tells what central-permissive evaluated in %s fidelity', async (fidelity, expected) => {
    const { told, onDecision } = listen();
    const replica = await replicaOf(await start({ ...permissive, fidelity }), { onDecision });
    expect(replica.isAllowed({ user: 'alice', ...write })).toBe(fidelity === 'sidecar');
    expect(replica.evaluateMany({ user: 'alice', items: [read] }).allowed).toBe(true);
    expect(told).toMatchObject([expected, { effect: 'Allow', reason: 'allowed' }]);
  });

  test('reports no evaluation of its overlays, snapshots and explanations', async () => {
    const { told, onDecision } = listen();
    const replica = await replicaOf(await start(), { onDecision });
    replica.overlay([]).isAllowed({ user: 'alice', ...read });
    replica.evaluator().isAllowed({ user: 'alice', ...read });
    replica.explain({ user: 'alice', ...read });
    expect(() => replica.evaluate({ user: 7, ...read } as never)).toThrow('user');
    expect(told).toEqual([]);
  });
});

describe('a client', () => {
  /** A client of a mock, which tells later, once the module for it is loaded. */
  async function told(more: MockConfig = {}, options: (mock: Mock) => Partial<ClientOptions> = () => ({})) {
    const mock = await start(more);
    const { told, onDecision } = listen();
    const client = createClient({ ...mock.connection, onDecision, ...options(mock) });
    const heard = async (count: number) => {
      await expect.poll(() => told).toHaveLength(count);
      return told;
    };
    return { mock, client, heard, onDecision };
  }
  const common = { source: 'service', durationUs: expect.any(Number) };

  test('reports the decisions of the service about users', async () => {
    const { client, heard } = await told();
    await client.authorization.evaluate({ user: 'alice', roles: ['r'], ...read, context });
    await client.authorization.evaluateMany({ user: 'alice', items: [read, write] });
    const found = await heard(3);
    expect(found).toEqual([
      { ...common, subject: { user: 'alice', groups: ['r'] }, ...read, effect: 'Allow', reason: 'allowed', context },
      { ...common, subject: { user: 'alice' }, ...read, effect: 'Allow', reason: 'allowed' },
      { ...common, subject: { user: 'alice' }, ...write, effect: 'Deny' },
    ]);
  });

  test('reports the owner of a token, and never the token', async () => {
    const { mock, client, heard } = await told();
    const token = await mock.tokens.issue({ user: 'alice', groups: ['g', 'ü'] });
    const superuser = await mock.tokens.issue({ user: null });
    await client.authorization.evaluate({ token, ...read });
    await client.authorization.evaluateMany({ token: superuser, items: [write] });
    await expect(client.authorization.evaluate({ token: canary, ...read })).rejects.toThrow('400');
    const found = await heard(2);
    expect(found).toMatchObject([
      { subject: { user: 'alice', groups: ['g', 'ü'] }, effect: 'Allow' },
      { subject: {}, effect: 'Allow', reason: 'superuser' },
    ]);
    for (const secret of [token, superuser, canary]) expect(JSON.stringify(found)).not.toContain(secret);
  });

  test('reports the owner of its token to the hook', async () => {
    const mock = await start();
    const { told, onDecision } = listen();
    const token = await mock.tokens.issue({ user: 'alice' });
    const client = createClient({ ...mock.connection, credentials: credentials.bearer(token), onDecision });
    await client.authorization.evaluate({ self: true, ...read });
    await expect.poll(() => told).toHaveLength(1);
    expect(told).toMatchObject([{ subject: { user: 'alice', groups: [] }, effect: 'Allow' }]);
  });

  test('reports each item of a batch once', async () => {
    const { client, heard, mock } = await told({}, () => ({ batch: true }));
    await Promise.all([read, write].map((item) => client.authorization.evaluate({ user: 'alice', ...item })));
    expect(await heard(2)).toMatchObject([
      { ...read, effect: 'Allow' },
      { ...write, effect: 'Deny' },
    ]);
    expect(mock.requests).toHaveLength(1);
  });

  test('reports what a permissive deployment evaluated, as far as its answer says it', async () => {
    const { client, heard } = await told(permissive);
    await client.authorization.evaluateMany({ user: 'alice', items: [read, write] });
    expect(await heard(2)).toMatchObject([
      { effect: 'Allow', reason: 'allowed', enforced: false },
      { effect: 'Deny', enforced: false },
    ]);
  });

  test('reports no failure and no management call', async () => {
    const { mock, client, heard } = await told();
    mock.fail({ path: '/evaluate', status: 503 });
    await expect(client.authorization.evaluate({ user: 'alice', ...read })).rejects.toThrow('503');
    await client.authorization.evaluate({ user: 'alice', ...read });
    expect(await heard(1)).toMatchObject([{ effect: 'Allow' }]);
  });
});

describe('deciders in front of deciders report a decision once', () => {
  const request = { method: 'GET', headers: { authorization: 'bearer x' } };
  const authenticate = async () => ({ valid: true, user: 'alice', groups: [] }) as const;

  test('a replica reports the context as it was asked, whatever becomes of it', async () => {
    const { told, onDecision } = listen();
    const replica = await replicaOf(await start(), { onDecision });
    const asked = structuredClone(context);
    replica.evaluate({ user: 'alice', ...read, context: asked });
    replica.evaluateMany({ user: 'alice', items: [{ ...read, context: asked }] });
    asked.parameters.ip.values[0] = 'changed';
    replica.evaluate({ user: 'alice', ...read, context: { call: () => {} } });
    expect(told.map((one) => one.context)).toEqual([context, context, undefined]);
  });

  test('a guard over a replica', async () => {
    const { told, onDecision } = listen();
    const replica = await replicaOf(await start(), { onDecision });
    const telling = createGuard(replica, { authenticate, onDecision });
    await telling.check(request, read);
    await telling.checkMany(request, [read, write]);
    expect(told.map(({ source, effect }) => [source, effect])).toEqual([
      ['replica', 'Allow'],
      ['replica', 'Allow'],
      ['replica', 'Deny'],
    ]);
    await createGuard(replica, { authenticate }).check(request, read);
    expect(told).toHaveLength(4);
  });

  test('a replica as the shadow of a guard reports nothing itself', async () => {
    const { told, onDecision } = listen();
    const replica = await replicaOf(await start(), { onDecision });
    const other = await replicaOf(await start());
    const guard = createGuard(other, { authenticate, shadow: replica });
    await guard.check(request, read);
    await guard.flush();
    expect(guard.shadow).toMatchObject({ same: 1 });
    expect(told).toEqual([]);
  });

  test('a guard over a client', async () => {
    const mock = await start();
    const { told, onDecision } = listen();
    const client = createClient({ ...mock.connection, onDecision });
    const headers = { authorization: `bearer ${await mock.tokens.issue({ user: 'alice' })}` };
    await createGuard(client, { onDecision }).check({ headers }, read);
    await createGuard(client).check({ headers }, write);
    await expect.poll(() => told).toHaveLength(2);
    expect(told).toMatchObject([
      { ...read, effect: 'Allow' },
      { ...write, effect: 'Deny' },
    ]);
  });

  test('a client over a replica, whose own hook reports if the client has none', async () => {
    const mock = await start();
    const { told, onDecision } = listen();
    const replica = await replicaOf(mock, { onDecision });
    const client = createClient({ ...mock.connection, replica, onDecision });
    await client.authorization.evaluate({ user: 'alice', ...read });
    await client.authorization.evaluateMany({ user: 'alice', items: [write] });
    await expect.poll(() => told).toHaveLength(2);
    expect(told.map(({ source, subject }) => [source, subject])).toEqual([
      ['replica', { user: 'alice' }],
      ['replica', { user: 'alice' }],
    ]);
    await createClient({ ...mock.connection, replica }).authorization.evaluate({ user: 'alice', ...read });
    expect(told).toHaveLength(3);
  });

  test('a PDP over a replica', async () => {
    const { told, onDecision } = listen();
    const replica = await replicaOf(await start(), { onDecision });
    const pdp = createPdp(replica, { url: 'https://pdp.example', authenticate: 'none', onDecision });
    const question = { subject: { type: 'user', id: 'alice' }, action: { name: 'read' } };
    const asked = new Request('https://pdp.example/access/v1/evaluation', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...question, resource: { type: 'orders', id: '7' } }),
    });
    expect((await pdp(asked)).status).toBe(200);
    expect(told.map(({ source }) => source)).toEqual(['pdp']);
  });
});

test('a log of all kinds of deciders reads back', async () => {
  const mock = await start(permissive);
  let text = '';
  const log = decisionLog({
    write: (lines) => {
      text += lines;
    },
  });
  await mock.onDecision(log.record);
  const replica = await replicaOf(mock, { onDecision: log.record });
  const { authorization } = createClient({ ...mock.connection, onDecision: log.record });
  replica.isAllowed({ user: 'alice', ...read });
  await authorization.evaluate({ user: 'alice', ...write, context });
  const flushed = () => log.flush().then(() => text);
  await expect.poll(flushed).toContain('"source":"service"');
  await log.close();
  const { decisions, summary } = await collect(text);
  expect(summary).toMatchObject({ skipped: [], dropped: 0 });
  const asked = decisions.filter(({ action }) => !action.startsWith('rbac:'));
  expect(asked.map(({ source, effect, enforced }) => [source, effect, enforced]).sort()).toEqual([
    ['mock', 'Deny', false],
    ['replica', 'Allow', false],
    ['service', 'Deny', false],
  ]);
  expect(text).not.toContain('10.0.0.1');
});
