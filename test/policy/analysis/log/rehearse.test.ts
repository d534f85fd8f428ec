import { expect, test } from 'vitest';
import { compare, type RehearseOptions, rehearse } from '../../../../src/policy/analysis/index.ts';
import type { DecisionLine } from '../../../../src/policy/decision-line/line.ts';
import { createEvaluator, type PolicyState } from '../../../../src/policy/index.ts';
import { allow, decisionOf, deny, everywhere } from './support.ts';

const state: PolicyState = {
  policies: {
    reader: { statements: [allow(['orders:read', 'orders:list'], ['order:*']), deny(['*'], ['order:secret:*'])] },
    writer: { statements: [allow(['orders:write'], ['order:eu:*'])] },
    'managed:predefined:all': { statements: [allow(['*'], ['*'])] },
  },
  roles: {
    viewer: { policies: ['reader'] },
    editor: { policies: ['writer', 'missing'] },
    boss: { policies: ['managed:predefined:all'] },
  },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'bob', role: 'viewer', scope: { statements: [allow(['*'], ['order:eu:*'])] } },
    { user: 'carol', role: 'editor', scope: everywhere },
    { user: 'dave', role: 'gone', scope: everywhere },
  ],
};

/** A request that was let through, whatever was evaluated. */
const asked = (user: string, action: string, resource: string, more: Partial<DecisionLine> = {}) =>
  decisionOf({ subject: { user }, action, resource, effect: 'Deny', enforced: false, ...more });

const rehearsed = (lines: readonly DecisionLine[], given = state, options: RehearseOptions = {}) =>
  rehearse(lines, given, options);

test('the requests that enforcing would deny are counted, by cause and user', async () => {
  const { log, denied } = await rehearsed([
    asked('alice', 'orders:read', 'order:7'),
    asked('alice', 'orders:write', 'order:7', { time: '2026-11-24T12:00:00Z' }),
    asked('alice', 'orders:write', 'order:7'),
    asked('alice', 'orders:read', 'order:secret:1'),
    asked('eve', 'orders:list', 'order:7', { effect: 'Allow' }),
  ]);
  expect(log.count).toBe(5);
  expect(denied).toMatchObject({ count: 4, users: 2, actions: 3, questions: 3 });
  expect(denied.groups).toMatchObject([
    { cause: { reason: 'nothing-allows' }, count: 2, lastSeen: '2026-11-24T12:00:00Z' },
    { cause: { reason: 'explicit-deny', policy: 'reader', statement: 1 }, subject: { user: 'alice' } },
    { cause: { reason: 'no-binding' }, subject: { user: 'eve' } },
  ]);
});

test('an enforced Deny is not counted again, nor a superuser denied', async () => {
  const { denied, refused, superuser, error, change } = await rehearsed([
    asked('eve', 'orders:read', 'order:7', { enforced: true }),
    asked('eve', 'orders:read', 'order:8', { enforced: true, effect: 'Allow' }),
    decisionOf({ subject: {}, action: 'a:b', resource: '' }),
    decisionOf({ subject: { userHash: 'x' } }),
    decisionOf({ reason: 'failed' }),
  ]);
  expect([denied.count, refused.count, superuser.count]).toEqual([1, 1, 1]);
  expect(error.groups.map(({ reason }) => reason)).toEqual(['failed']);
  expect(change.items).toMatchObject([{ kind: 'binding', user: 'eve', statements: [{ resources: ['order:8'] }] }]);
});

test('nothing is denied and nothing changes if the state allows all', async () => {
  const { denied, change } = await rehearsed([asked('alice', 'orders:read', 'order:7')]);
  expect([denied.count, denied.groups, change.items, change.isExact]).toEqual([0, [], [], true]);
});

test.each([
  [
    'a statement in the scope that keeps a user out',
    [asked('bob', 'orders:read', 'order:us:1')],
    [
      {
        kind: 'binding',
        user: 'bob',
        role: 'viewer',
        action: 'update',
        statements: [{ actions: ['orders:read'], resources: ['order:us:1'], count: 1 }],
      },
    ],
  ],
  [
    'a statement in a policy that only users have who ask',
    [asked('carol', 'orders:write', 'order:us:1'), asked('carol', 'orders:drop', 'order:us:1')],
    [
      {
        kind: 'policy',
        name: 'missing',
        action: 'create',
        statements: [{ actions: ['orders:drop', 'orders:write'], resources: ['order:us:1'], count: 2 }],
      },
    ],
  ],
  [
    'a missing role that a user is bound to',
    [asked('dave', 'orders:drop', 'order:1')],
    [
      { kind: 'policy', name: 'rehearsed-1', action: 'create', statements: [{ actions: ['orders:drop'] }] },
      { kind: 'role', name: 'gone', action: 'create', policies: ['rehearsed-1'] },
    ],
  ],
  [
    'a binding to a role that allows it, with a scope',
    [asked('eve', 'orders:read', 'order:7'), asked('eve', 'orders:list', 'order:8')],
    [
      {
        kind: 'binding',
        user: 'eve',
        action: 'create',
        statements: [
          { actions: ['orders:read'], resources: ['order:7'] },
          { actions: ['orders:list'], resources: ['order:8'] },
        ],
      },
    ],
  ],
  [
    'policy, role and bindings, one of each for users who ask alike',
    [asked('eve', 'a:b', 'x'), asked('mallory', 'a:b', 'x'), asked('eve', 'a:c', 'x'), asked('mallory', 'a:c', 'x')],
    [
      {
        kind: 'policy',
        name: 'rehearsed-1',
        action: 'create',
        statements: [{ actions: ['a:b', 'a:c'], resources: ['x'], count: 4 }],
      },
      { kind: 'role', name: 'rehearsed-1', action: 'create', policies: ['rehearsed-1'] },
      { kind: 'binding', user: 'eve', role: 'rehearsed-1', action: 'create', statements: [] },
      { kind: 'binding', user: 'mallory', role: 'rehearsed-1', action: 'create', statements: [] },
    ],
  ],
])('the smallest change for denied requests is %s', async (_, lines, items) => {
  const given = { ...state, roles: { ...state.roles, boss: { policies: [] } } };
  const { change, notGranted } = await rehearsed(lines, given);
  expect([notGranted, change.isExact]).toEqual([[], true]);
  expect(change.items).toMatchObject(items);
  expect(compare(createEvaluator(given, { fidelity: 'sidecar' }), change.state).lost).toEqual([]);
});

test('a policy that others have as well gets no statement', async () => {
  const shared = {
    ...state,
    bindings: [...(state.bindings ?? []), { user: 'frank', role: 'editor', scope: everywhere }],
  };
  const { change } = await rehearsed([asked('carol', 'a:b', 'x')], shared, {});
  expect(change.items.map((one) => one.kind)).toEqual(['binding']);
  expect(change.isExact).toBe(true);
});

test.each([
  [asked('alice', 'orders:read', 'order:secret:1'), 'explicit-deny'],
  [asked('', 'orders:read', 'order:1'), 'empty-user'],
  [asked('eve', '', 'order:1'), 'empty-action'],
  [asked('eve:x', 'orders:read', 'order:1'), 'user'],
  [asked('eve/x', 'orders:read', 'order:1'), 'user'],
  [asked('eve', 'read', 'order:1'), 'action'],
  [asked('eve', 'orders:*', 'order:1'), 'action'],
  [asked('eve', 'orders:read', ''), 'resource'],
  [asked('eve', 'orders:read', 'order:*'), 'resource'],
  [asked('eve', 'orders:read', '*x*'), 'resource'],
  [decisionOf({ subject: { groups: ['viewer'] }, effect: 'Deny' }), 'no-user'],
])('%j is not granted: %s', async (line, reason) => {
  const { notGranted, change } = await rehearsed([line]);
  expect(notGranted).toMatchObject([{ reason, count: 1 }]);
  expect([change.items, change.isExact]).toEqual([[], true]);
});

test('generalise grants the pattern of the service, or whole statements', async () => {
  const lines = [asked('eve', 'orders:list', 'order:7'), asked('eve', 'orders:drop', 'order:eu:7')];
  const statementsOf = async (generalise: RehearseOptions['generalise']) => {
    const { change } = await rehearsed(lines, state, { generalise });
    return change.items.flatMap((one) => ('statements' in one ? one.statements : []));
  };
  const given = { ...state, roles: { ...state.roles, boss: { policies: [] } } };
  const { change } = await rehearsed(lines, given, { generalise: 'resources' });
  expect(change.items).toMatchObject([
    { kind: 'policy', statements: [{ actions: ['orders:drop'], resources: ['order:eu:*'] }] },
    { kind: 'role' },
    { kind: 'binding', role: 'viewer', statements: [{ actions: ['orders:list'], resources: ['order:*'] }] },
    { kind: 'binding', user: 'eve' },
  ]);
  expect(change.isExact).toBe(false);
  expect(await statementsOf('statements')).toMatchObject([
    { actions: ['orders:read', 'orders:list'], resources: ['order:*'], count: 1 },
    { actions: ['*'], resources: ['*'], count: 1 },
  ]);
});

test('a name that a role or a binding refers to is not taken', async () => {
  const given: PolicyState = {
    roles: { idle: { policies: ['rehearsed-1'] } },
    bindings: [{ user: 'frank', role: 'rehearsed-2', scope: everywhere }],
  };
  const { change } = await rehearsed([asked('eve', 'a:b', 'x')], given);
  expect(change.items).toMatchObject([{ name: 'rehearsed-3' }, { name: 'rehearsed-3' }, { user: 'eve' }]);
  expect(change.isExact).toBe(true);
});

test('roles that requests name do not count, unless the fidelity says so', async () => {
  const line = decisionOf({ subject: { user: 'eve', groups: ['viewer'] } });
  const count = async (options: RehearseOptions) => (await rehearsed([line], state, options)).denied.count;
  expect([await count({}), await count({ fidelity: 'documented' })]).toEqual([1, 0]);
  const evaluator = createEvaluator(state);
  expect((await rehearse([line], evaluator)).denied.count).toBe(0);
});

test.each(['broken', 'managed:predefined:all', 'managed:operator:x'])('the policy %s is not edited', async (name) => {
  const given: PolicyState = {
    policies: {
      broken: { statements: [allow(['orders:read'], ['*x*'])] },
      'managed:predefined:all': { statements: [allow(['a:a'], ['x'])] },
    },
    roles: { own: { policies: [name] } },
    bindings: [{ user: 'eve', role: 'own', scope: everywhere }],
  };
  const { change } = await rehearsed([asked('eve', 'a:b', 'x')], given);
  expect(change.items).toMatchObject([
    { kind: 'policy', name: 'rehearsed-1', action: 'create' },
    { kind: 'role', name: 'rehearsed-1' },
    { kind: 'binding', user: 'eve', role: 'rehearsed-1' },
  ]);
  expect(change.isExact).toBe(true);
});
