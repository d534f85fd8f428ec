import { expect, test } from 'vitest';
import { leastPrivilege, permissionUsage, rehearse, replay } from '../../../../src/policy/analysis/index.ts';
import type { DecisionLine } from '../../../../src/policy/decision-line/line.ts';
import type { PolicyState } from '../../../../src/policy/index.ts';
import { allow, decisionOf, everywhere, logOf } from './support.ts';

const state: PolicyState = {
  policies: {
    reader: { statements: [allow(['orders:read'], ['order:1', 'order:*'])] },
    payer: { statements: [allow(['bills:pay'], ['*'])] },
  },
  roles: { viewer: { policies: ['reader'] }, payer: { policies: ['payer'] } },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'bob', role: 'payer', scope: everywhere },
  ],
};
const failed = (fields: Partial<DecisionLine>) => decisionOf({ reason: 'failed', effect: 'Deny', ...fields });
const usedRoles = async (lines: readonly DecisionLine[], options: object = {}) => {
  const { roles } = await permissionUsage(lines, state, { fidelity: 'documented', ...options });
  return ['payer', 'viewer'].filter((name) => !roles.includes(name));
};

test('an empty user or action is denied whatever there is, so nothing decided', async () => {
  expect(await usedRoles([failed({ subject: { user: '', groups: ['viewer'] } })])).toEqual([]);
  expect(await usedRoles([failed({ action: '', subject: { user: 'alice' } })])).toEqual([]);
  expect(await usedRoles([failed({ subject: { user: 'alice' } })])).toEqual(['viewer']);
  expect(await usedRoles([failed({ subject: {} })])).toEqual([]);
  expect(await usedRoles([failed({ subject: { groups: ['viewer'] } })])).toEqual(['viewer']);
});

test('a user whose bindings are not known may have any role', async () => {
  const lines = [failed({ subject: { user: 'eve' } })];
  expect(await usedRoles(lines)).toEqual([]);
  expect(await usedRoles(lines, { users: ['alice'] })).toEqual(['viewer']);
  expect(await usedRoles(lines, { users: ['eve'] })).toEqual([]);
  // An unread policy of a role may decide any question, beside one that is read.
  const unread = { policies: ['lost'] };
  const wider = { ...state, roles: { ...state.roles, odd: { policies: ['payer', 'lost'] } } };
  const { roles } = await permissionUsage(lines, wider, { fidelity: 'documented', users: ['alice'], unread });
  expect(roles).toEqual(['payer']);
});

test('questions that differ in a hidden part stay apart', async () => {
  const subject = { userHash: 'x' };
  const lines = [
    decisionOf({ subject, masked: ['/resource'] }),
    decisionOf({ subject, action: 'bills:pay', masked: ['/resource'] }),
    decisionOf({ subject, action: 'bills:pay', masked: ['/subject/user/0'] }),
  ];
  expect(await usedRoles(lines)).toEqual(['payer', 'viewer']);
  expect(
    await usedRoles([
      failed({ subject: { user: 'alice' } }),
      failed({ subject: { user: 'bob' }, action: 'bills:pay' }),
    ]),
  ).toEqual(['payer', 'viewer']);
  const named = ['viewer', 'payer'].map((role) => failed({ subject: { groups: [role] }, action: 'bills:pay' }));
  expect(await usedRoles(named)).toEqual(['payer']);
});

test('lines are named in their order, at most 20 of all questions', async () => {
  const lines = Array.from({ length: 40 }, (_, i) =>
    decisionOf({ subject: { userHash: 'x' }, resource: `order:${i % 2}` }),
  );
  const { undecided } = await permissionUsage(logOf(lines), state);
  expect(undecided.groups).toMatchObject([{ reason: 'masked', count: 40 }]);
  expect(undecided.groups[0]?.lines.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

test('a grant for a hidden and for a known question is written once', async () => {
  const lines = [decisionOf({ resource: 'order:1' }), decisionOf({ subject: { userHash: 'x' }, resource: 'order:1' })];
  const { state: least } = await leastPrivilege(lines, state);
  expect(least.policy('reader')?.statements).toEqual([allow(['orders:read'], ['order:1'])]);
  const two = [...lines, decisionOf({ subject: { userHash: 'x' }, resource: 'order:2' })];
  expect((await leastPrivilege(two, state)).state.policy('reader')?.statements).toHaveLength(2);
  const generalised = await leastPrivilege(two, state, { generalise: 'statements' });
  expect(generalised.state.policy('reader')?.statements).toEqual(
    state.policies && 'reader' in state.policies ? state.policies.reader?.statements : [],
  );
});

test.each<[string, Partial<DecisionLine>, readonly string[]]>([
  ['the effect', { effect: 'Deny', enforced: true, masked: ['/effect'] }, ['viewer']],
  ['all of it', { effect: 'Deny', enforced: true, masked: [''] }, ['payer', 'viewer']],
  ['the hash of the user', { subject: {}, masked: ['/subject/userHash'] }, ['viewer']],
  ['a hash beside the name', { masked: ['/subject/userHash'] }, ['viewer']],
])('%s is masked: what may have allowed it stays', async (_, fields, roles) => {
  const lines = [decisionOf({ resource: 'order:1', ...fields })];
  const { state: least } = await leastPrivilege(lines, state, { fidelity: 'sidecar' });
  expect([least.roles(), await usedRoles(lines, { fidelity: 'sidecar' })]).toEqual([roles, roles]);
});

test('a masked effect, or a denial that may have been enforced, is not decided again', async () => {
  const ask = async (fields: Partial<DecisionLine>, after: PolicyState = {}) => {
    const lines = [decisionOf(fields)];
    const { undecided, gained, revoked, unchanged } = await replay(lines, after);
    const rehearsed = await rehearse(lines, after);
    return [undecided.count, gained.count + revoked.count + unchanged.count, rehearsed.undecided.count];
  };
  expect(await ask({ masked: ['/effect'] })).toEqual([1, 0, 1]);
  expect(await ask({ effect: 'Deny', enforced: true, masked: ['/enforced'] })).toEqual([1, 0, 1]);
  expect(await ask({ masked: ['/enforced'] })).toEqual([0, 1, 0]);
  expect(await ask({ masked: ['/effective', '/context/effect', '/enforced/x'] })).toEqual([0, 1, 0]);
});
