import { describe, expect, test } from 'vitest';
import { compare, leastPrivilege, permissionUsage, rehearse, replay } from '../../../../src/policy/analysis/index.ts';
import { createEvaluator, type PolicyState } from '../../../../src/policy/index.ts';
import { everything } from '../../support/arbitrary.ts';
import { decisionOf, logOf } from './support.ts';

const allow = (action: string) => ({ statements: [{ effect: 'Allow', actions: [action], resources: ['*'] }] }) as const;
const state: PolicyState = {
  policies: { reader: allow('orders:*'), idle: allow('idle:*') },
  roles: { viewer: { policies: ['reader'] }, unused: { policies: ['idle'] } },
  bindings: [{ user: 'bob', role: 'unused', scope: everything }],
  groupBindings: [{ group: 'developers', role: 'viewer', scope: everything }],
};
const log = () => logOf([decisionOf({ subject: { user: 'bob', groups: ['developers'] } })]);

describe.each(['documented', 'sidecar'] as const)('logs whose subjects have groups, in %s fidelity', (fidelity) => {
  const options = { fidelity };

  test('are replayed with what their groups have, and lose it with the binding of the group', async () => {
    const kept = await replay(log(), state, options);
    expect([kept.gained.groups, kept.revoked.groups]).toEqual([[], []]);
    const lost = await replay(log(), { ...state, groupBindings: [] }, options);
    expect(lost.revoked.count).toBe(1);
  });

  test('use the roles of groups', async () => {
    const usage = await permissionUsage(log(), state, options);
    expect([usage.roles, usage.policies]).toEqual([['unused'], ['idle']]);
    const { roles } = await permissionUsage(log(), { ...state, groupBindings: [] }, options);
    expect(roles).toContain('viewer');
  });

  test('keep what a group needs when permissions are reduced, narrowed to the log', async () => {
    const least = (await leastPrivilege(log(), state, options)).state;
    const ask = (action: string, on = least) =>
      on.isAllowed({ user: 'bob', roles: ['developers'], action, resource: 'order:7' });
    expect([ask('orders:read'), ask('orders:write'), ask('orders:write', createEvaluator(state, options))]).toEqual([
      true,
      false,
      true,
    ]);
    expect([least.roles(), least.groups(), least.users()]).toEqual([['viewer'], ['developers'], []]);
  });

  test('count a role that the user and a group have by each binding, also if one of them denies', async () => {
    const narrow = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['none'] }] } as const;
    const both: PolicyState = {
      ...state,
      bindings: [{ user: 'bob', role: 'viewer', scope: everything }],
      groupBindings: [{ group: 'developers', role: 'viewer', scope: narrow }],
    };
    const usage = await permissionUsage(log(), both, options);
    expect([usage.roles, usage.bindings]).toEqual([['unused'], []]);
  });

  test('a binding of a group that the log does not need goes, and is listed as unused', async () => {
    const two: PolicyState = {
      ...state,
      groupBindings: [...(state.groupBindings ?? []), { group: 'others', role: 'viewer', scope: everything }],
    };
    expect((await leastPrivilege(log(), two, options)).state.groups()).toEqual(['developers']);
    const usage = await permissionUsage(log(), two, options);
    expect(usage.groupBindings).toEqual([{ group: 'others', role: 'viewer' }]);
    expect('groupBindings' in (await permissionUsage(log(), { ...two, groupBindings: [] }, options))).toBe(false);
  });

  test("leave a user, with by: 'group', bindings only for what no group of the subject allows", async () => {
    const own: PolicyState = {
      ...state,
      policies: { ...state.policies, payer: allow('bills:pay') },
      roles: { ...state.roles, buyer: { policies: ['reader', 'payer'] } },
      bindings: [{ user: 'bob', role: 'buyer', scope: everything }],
    };
    const [subject, lines] = [
      { user: 'bob', groups: ['developers'] },
      [decisionOf({ subject: { user: 'bob', groups: ['developers'] } })],
    ];
    const least = await leastPrivilege(logOf(lines), own, { ...options, by: 'group' });
    expect([least.state.roles(), least.state.groups(), least.state.users()]).toEqual([['viewer'], ['developers'], []]);
    expect(compare(own, least.state, options).gained).toEqual([]);
    // By default both stay.
    expect((await leastPrivilege(logOf(lines), own, options)).state.users()).toEqual(['bob']);
    const paid = decisionOf({ subject, action: 'bills:pay' });
    const both = (await leastPrivilege(logOf([...lines, paid]), own, { ...options, by: 'group' })).state;
    expect([both.users(), both.groups()]).toEqual([['bob'], ['developers']]);
    for (const action of ['orders:read', 'bills:pay'])
      expect(both.isAllowed({ user: 'bob', roles: ['developers'], action, resource: 'order:7' })).toBe(true);
  });

  test("are refused with the option by: 'group' if they name no groups", async () => {
    for (const lines of [[], [decisionOf()], [decisionOf({ subject: { user: 'bob', groups: [''] } })]]) {
      const refused = leastPrivilege(logOf(lines), state, { ...options, by: 'group' });
      await expect(refused).rejects.toThrow('by: the log names no groups');
    }
    const wrong = leastPrivilege(log(), state, { ...options, by: 'groups' as 'group' });
    await expect(wrong).rejects.toThrow(/by: expected one of user, group/);
  });

  test('questions of groups whose bindings are not known are not decided, and keep what may decide them', async () => {
    const without: PolicyState = { ...state, groupBindings: [] };
    for (const part of [{ groups: ['others'] }, { unread: { groups: ['developers'] } }]) {
      const replayed = await replay(log(), without, { ...options, ...part });
      expect([replayed.revoked.count, replayed.error.groups]).toMatchObject([0, [{ reason: 'not-known', count: 1 }]]);
      const usage = await permissionUsage(log(), without, { ...options, ...part });
      expect([usage.roles, usage.policies]).toEqual([[], ['idle']]);
      expect((await rehearse(log(), without, { ...options, ...part })).denied.count).toBe(0);
    }
    for (const groups of ['none', 'all', ['developers']] as const)
      expect((await replay(log(), without, { ...options, groups })).revoked.count).toBe(1);
  });

  test('a line that hides its groups may be that of any group', async () => {
    const masked = () => logOf([decisionOf({ subject: { user: 'bob' }, masked: ['/subject/groups'] })]);
    const usage = await permissionUsage(masked(), state, options);
    expect([usage.policies, usage.groupBindings]).toEqual([['idle'], []]);
    expect((await leastPrivilege(masked(), state, options)).state.groups()).toEqual(['developers']);
    const { roles } = await permissionUsage(masked(), { ...state, groupBindings: [] }, { ...options, groups: [] });
    // Some group that is not known may have the role.
    expect(roles).toEqual(['unused']);
  });
});

test('a role of a user that hides the binding of a group stays: without it the user would get the access of the group', async () => {
  const options = { fidelity: 'sidecar' } as const;
  const hiding: PolicyState = {
    ...state,
    roles: { ...state.roles, 'developers:viewer': { policies: [] } },
    bindings: [{ user: 'eve', role: 'developers:viewer', scope: everything }],
  };
  const least = (await leastPrivilege(log(), hiding, options)).state;
  const asked = { user: 'eve', roles: ['developers'], action: 'orders:read', resource: 'order:7' };
  expect([createEvaluator(hiding, options).isAllowed(asked), least.isAllowed(asked)]).toEqual([false, false]);
  expect(least.isAllowed({ ...asked, user: 'bob' })).toBe(true);
});
