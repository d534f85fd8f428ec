import { expect, test } from 'vitest';
import { createPdp } from '../../../src/enforce/authzen/index.ts';
import { createGuard, type GuardOptions } from '../../../src/enforce/guard/index.ts';
import { createClient } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import type { MadeDecision } from '../../../src/policy/decision-line/made-decision.ts';
import type { OnDecision } from '../../../src/policy/decision-line/on-decision.ts';
import { decisionLog } from '../../../src/policy/decisions/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { collect } from './collect.ts';

const all = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
const state = {
  policies: {
    reader: {
      statements: [{ effect: 'Allow' as const, actions: ['orders:read'], resources: ['order:*', 'orders:*'] }],
    },
  },
  roles: { viewer: { policies: ['reader'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: all }],
};
const read = { action: 'orders:read', resource: 'order:7' };
const write = { action: 'orders:write', resource: 'order:7' };
const canary = 'canary-7d1e';
const headers = {
  authorization: `Bearer ${canary}`,
  'x-request-id': 'req-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};
const ids = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  requestId: 'req-1',
};
const request = { method: 'GET', headers };

/** A guard over an evaluator, with the decisions that its hook got. */
function guardOver(options: GuardOptions = {}) {
  const told: MadeDecision[] = [];
  const guard = createGuard(createEvaluator(state), {
    authenticate: async () => ({ valid: true, user: 'alice', groups: ['g1'] }),
    onDecision: (one) => void told.push(one),
    ...options,
  });
  return { guard, told };
}

test('a guard reports each decision, with the ids of the request', async () => {
  const { guard, told } = guardOver();
  await guard.check(request, { ...read, context: { parameters: {} } });
  await guard.checkMany(request, [read, write]);
  const common = { subject: { user: 'alice', groups: ['g1'] }, source: 'decider', durationUs: expect.any(Number) };
  expect(told).toEqual([
    { ...common, ...ids, ...read, effect: 'Allow', context: { parameters: {} } },
    { ...common, ...ids, ...read, effect: 'Allow', context: undefined },
    { ...common, ...ids, ...write, effect: 'Deny', context: undefined },
  ]);
  expect(JSON.stringify(told)).not.toContain(canary);
});

test('a guard reports a denied resource that it does not ask about', async () => {
  const { guard, told } = guardOver();
  const resource = 'order:\ud800';
  await guard.check(request, { ...read, resource });
  await guard.checkMany(request, [read, { ...read, resource }]);
  expect(told.map(({ effect, resource: { length } }) => [effect, length])).toEqual([
    ['Deny', 7],
    ['Allow', 7],
    ['Deny', 7],
  ]);
});

test('a guard reports no decision without a valid token, or after a failure', async () => {
  const { guard, told } = guardOver();
  await guard.check({ method: 'GET', headers: {} }, read);
  await guard.authenticate(request);
  const invalid = guardOver({ authenticate: async () => ({ valid: false }) });
  expect((await invalid.guard.check(request, read)).status).toBe(401);
  const failing = guardOver({ authenticate: () => Promise.reject(new Error('down')) });
  expect((await failing.guard.checkMany(request, [read])).status).toBe(503);
  expect([...told, ...invalid.told, ...failing.told]).toEqual([]);
});

test.each<[string, OnDecision]>([
  [
    'throws',
    () => {
      throw new Error(canary);
    },
  ],
  // The cast: a hook of JavaScript may be async.
  ['rejects', (() => Promise.reject(new Error(canary))) as OnDecision],
])('a hook that %s changes no answer', async (_, onDecision) => {
  const { guard } = guardOver({ onDecision });
  expect(await guard.check(request, read)).toMatchObject({ allowed: true });
  expect(await guard.check(request, write)).toMatchObject({ allowed: false, status: 403 });
  const pdp = createPdp(createEvaluator(state), { url: 'https://pdp.example', authenticate: 'none', onDecision });
  expect(await ask(pdp, 'evaluation', evaluation('alice', 'read'))).toEqual({ decision: true });
});

test('a guard over a client identifies callers for its log; cached decisions are reported, too', async () => {
  const mock = await createMock({ ...state, users: [{ name: 'alice' }] });
  const client = createClient(mock.connection);
  let text = '';
  const log = decisionLog({
    write: (lines) => {
      text += lines;
    },
    service: 'orders',
  });
  const guard = createGuard(client, { onDecision: log.record, cache: { ttl: '1h' } });
  const token = await mock.tokens.issue({ user: 'alice' });
  const superuser = await mock.tokens.issue({ user: null });
  const as = (bearer: string) => ({ method: 'GET', headers: { authorization: `Bearer ${bearer}` } });
  for (let count = 0; count < 2; count += 1) await guard.check(as(token), { ...read, context: { parameters: {} } });
  await guard.checkMany(as(token), [write]);
  await guard.check(as(superuser), write);
  await log.close();
  const { decisions, summary } = await collect(text);
  expect(summary).toMatchObject({ skipped: [], dropped: 0 });
  const alice = { subject: { user: 'alice', groups: [] }, source: 'service', service: 'orders', enforced: true };
  expect(decisions).toMatchObject([
    { ...alice, ...read, effect: 'Allow', masked: ['/context'] },
    { ...alice, ...read, effect: 'Allow', masked: ['/context'] },
    { ...alice, ...write, effect: 'Deny' },
    { subject: {}, ...write, effect: 'Allow', reason: 'superuser' },
  ]);
  for (const secret of [token, superuser, 'Bearer']) expect(text).not.toContain(secret);
});

const evaluation = (user: string, action: string) => ({
  subject: { type: 'user', id: user },
  action: { name: action },
  resource: { type: 'orders', id: '7' },
});

async function ask(pdp: (request: Request) => Promise<Response>, path: string, body: object): Promise<unknown> {
  const asked = new Request(`https://pdp.example/access/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await pdp(asked)).json();
}

test('a PDP reports the decisions of evaluations and batches', async () => {
  const told: MadeDecision[] = [];
  const pdp = createPdp(createEvaluator(state), {
    url: 'https://pdp.example',
    authenticate: 'none',
    onDecision: (one) => void told.push(one),
  });
  await ask(pdp, 'evaluation', evaluation('alice', 'read'));
  const evaluations = [evaluation('alice', 'write'), evaluation('bob', 'read'), { subject: 7 }];
  await ask(pdp, 'evaluations', { evaluations });
  expect(told).toMatchObject([
    { subject: { user: 'alice' }, action: 'orders:read', resource: 'orders:7', effect: 'Allow', source: 'pdp' },
    { subject: { user: 'alice' }, action: 'orders:write', effect: 'Deny' },
    { subject: { user: 'bob' }, action: 'orders:read', effect: 'Deny' },
  ]);
  expect(told).toHaveLength(3);
});
