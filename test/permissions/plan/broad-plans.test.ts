import { describe, expect, test } from 'vitest';
import { formatPlan, type PermissionsState, plan } from '../../../src/permissions/index.ts';
import type { Policy, Statement } from '../../../src/policy/index.ts';
import { manageAll } from '../support/states.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const allow = (actions: string | readonly string[], ...resources: string[]): Statement => ({
  effect: 'Allow',
  actions: [actions].flat(),
  resources,
});
const deny = (action: string, ...resources: string[]): Statement => ({
  ...allow(action, ...resources),
  effect: 'Deny',
});
const everywhere: Policy = { statements: [allow('*', '*')] };
const policies = (all: Readonly<Record<string, readonly Statement[]>>) =>
  new Map(Object.entries(all).map(([name, statements]) => [name, { statements }]));
const roles = (all: Readonly<Record<string, readonly string[]>>) =>
  new Map(Object.entries(all).map(([name, its]) => [name, { policies: its }]));

/** 1 000 employees, a third of them leads; the policy that all employees have loses and gains a statement. */
function company(onboarding: readonly Statement[]): PermissionsState {
  const users = numbers(1_000).map((i) => `user${i}`);
  return {
    policies: policies({
      onboarding,
      leading: [allow('*:read', 'orders:*'), allow('orders:approve', 'orders:*')],
      auditing: [allow('*:read', '*'), deny('*', 'secret:*')],
    }),
    roles: roles({ employee: ['onboarding'], lead: ['leading'], auditor: ['auditing'] }),
    bindings: users.flatMap((user, i) => [
      { user, role: 'employee', scope: everywhere },
      ...(i % 3 === 0 ? [{ user, role: 'lead', scope: everywhere }] : []),
      ...(i % 500 === 1 ? [{ user, role: 'auditor', scope: everywhere }] : []),
    ]),
    users: 'all',
  };
}

/** Users with a role of 20 policies, each inside projects of their own. */
function projects(users: number, statements: number, extra: readonly Statement[] = []): PermissionsState {
  const list = numbers(20).map((p) => `policy${p}`);
  return {
    policies: policies(
      Object.fromEntries(
        list.map((name, p) => [
          name,
          [...numbers(statements).map((i) => allow(`s${p}:v${i}`, `*:kind${i}:*`)), ...extra],
        ]),
      ),
    ),
    roles: roles({ member: list }),
    bindings: numbers(users).map((u) => ({
      user: `user${u}`,
      role: 'member',
      scope: { statements: [allow('*', ...numbers(3).map((i) => `project-${u}-${i}:*`))] },
    })),
    users: 'all',
  };
}

const nothing: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' };
const pruned = (from: PermissionsState, to: PermissionsState) =>
  plan(from, to, { prune: true, manage: manageAll, fidelity: 'sidecar' });

const plans = {
  '100 users from nothing': pruned(nothing, projects(100, 5)),
  '1 000 users lose a statement': pruned(
    company([allow('*:read', '*'), allow('wiki:edit', 'wiki:*')]),
    company([allow('wiki:edit', 'wiki:*'), allow('news:read', 'news:*')]),
  ),
  '10 000 users gain a statement of each policy': pruned(
    projects(10_000, 2),
    projects(10_000, 2, [allow('extra:read', '*:extra:*')]),
  ),
};

describe('the texts of broad plans', () => {
  test.each(Object.entries(plans))('are short, and equal their snapshots: %s', async (name, made) => {
    const text = formatPlan(made);
    expect(text.split('\n').length).toBeLessThan(80);
    await expect(`${text}\n`).toMatchFileSnapshot(`snapshots/${name.replaceAll(' ', '-')}.txt`);
    const details = formatPlan(made, 'details');
    expect(details.split('\n').length).toBeGreaterThan(text.split('\n').length);
    expect(JSON.parse(formatPlan(made, 'json'))).toEqual(JSON.parse(JSON.stringify(made)));
  });
});
