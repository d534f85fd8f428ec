import { describe, expect, test } from 'vitest';
import { leastPrivilege, permissionUsage, replay } from '../../../../src/policy/analysis/index.ts';
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

  test('a role of the user and of a group counts by each, and one that denies does not hold back the other', async () => {
    const narrow = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['none'] }] } as const;
    const both: PolicyState = {
      ...state,
      bindings: [{ user: 'bob', role: 'viewer', scope: everything }],
      groupBindings: [{ group: 'developers', role: 'viewer', scope: narrow }],
    };
    const usage = await permissionUsage(log(), both, options);
    expect([usage.roles, usage.bindings]).toEqual([['unused'], []]);
  });
});
