import { describe, expect, test } from 'vitest';
import { formatPlan, type PermissionsState, plan } from '../../../src/permissions/index.ts';
import { withoutEchoes } from '../../../src/permissions/plan/echoes.ts';
import type { Policy, Statement } from '../../../src/policy/index.ts';
import { cpuOf } from '../../support/cpu-of.ts';
import { manageAll } from '../support/states.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const allow = (action: string, ...resources: string[]): Statement => ({
  effect: 'Allow',
  actions: [action],
  resources,
});
const everywhere: Policy = { statements: [allow('*', '*')] };

/** Each role denies two things in a segment of its own, so that the exceptions of a user of all roles multiply. */
const doubling = numbers(24).map((i): Policy => {
  const at = (text: string) => `${'*:'.repeat(i)}${text}:*`;
  return { statements: [allow('*', '*'), { effect: 'Deny', actions: ['*'], resources: [at('a'), at('b')] }] };
});

/** A user of roles whose comparison takes too much, and one who is easily compared. */
function stateOf(statements: readonly Statement[]): PermissionsState {
  const policies = new Map(doubling.map((policy, i) => [`p${i}`, policy]));
  const roles = new Map(doubling.map((_, i) => [`r${i}`, { policies: [`p${i}`] }]));
  return {
    policies: policies.set('plain', { statements }),
    roles: roles.set('plain', { policies: ['plain'] }),
    bindings: [
      ...doubling.map((_, i) => ({ user: 'complex', role: `r${i}`, scope: everywhere })),
      { user: 'complex', role: 'plain', scope: everywhere },
      { user: 'simple', role: 'plain', scope: everywhere },
    ],
    users: 'all',
  };
}

describe('a plan whose access takes too much work', () => {
  const from = stateOf([allow('*', '*')]);
  const to = stateOf([allow('d:read', '*')]);
  const options = { prune: true, manage: manageAll, fidelity: 'sidecar', maxWork: 2_000_000 } as const;

  test('has all its changes, and access.notCompared lists the users who were not compared', () => {
    const made = plan(from, to, options);
    expect(made.changes).toMatchObject([{ name: 'plain', action: 'update' }]);
    expect(made.stages).toHaveLength(1);
    expect(made.access.notCompared).toEqual(['complex']);
    expect(made.access.lost.map(({ users }) => users)).toEqual([['simple']]);
  });

  test('prints how many users were not compared', () => {
    expect(formatPlan(plan(from, to, options))).toContain('Access of 1 user was not compared (--max-work).');
  });

  test('names all users if nothing can be compared', () => {
    expect(plan(from, to, { ...options, maxWork: 1 }).access).toEqual({
      gained: [],
      lost: [],
      notCompared: ['complex', 'simple'],
    });
  });

  test('meanwhile.notCompared lists the users whose access between calls is not known', () => {
    const other = stateOf([allow('d:read', '*'), allow('d:write', '*')]);
    const made = plan(stateOf([allow('d:*', 'a:*')]), { ...other, bindings: other.bindings.slice(1) }, options);
    expect(made.meanwhile.notCompared).toEqual(['complex']);
    expect(made.stages.flat()).not.toEqual([]);
  });
});

test('the bindings of 10 000 users whose names hold a colon are read without comparing each pair of names', async () => {
  const users = numbers(10_000).map((i) => `sso:user${i}`);
  const bindings = users.map((user) => ({ user, role: 'viewer', scope: everywhere }));
  const echo = { user: 'sso', role: 'viewer', scope: everywhere };
  const state = { ...stateOf([]), users: ['sso', ...users], bindings: [...bindings, echo] };
  let read: PermissionsState | undefined;
  // Comparing each pair takes several seconds.
  expect(await cpuOf(() => (read = withoutEchoes(state)))).toBeLessThan(1_500);
  expect(read?.bindings).toEqual(bindings);
});
