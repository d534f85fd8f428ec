import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEvaluator, explain, formatExplanation, type PolicyState } from '../../src/policy/index.ts';
import { runsOf } from '../support/thorough.ts';
import { everything, faultyStateArb, requestFor, stateArb } from './support/arbitrary.ts';
import { groupNames, withGroups } from './support/group-states.ts';

const reader = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } as const;
const state: PolicyState = {
  policies: { reader },
  roles: { viewer: { policies: ['reader'] }, 'dev:viewer': { policies: [] } },
  groupBindings: [
    { group: 'dev', role: 'viewer', scope: everything },
    { group: 'ops', role: 'viewer' },
    { group: 'ops', role: 'gone', scope: everything },
  ],
};
const read = { action: 'orders:read', resource: 'order:7' };

describe.each(['documented', 'sidecar'] as const)('explanations with groups in %s fidelity', (fidelity) => {
  const ask = (given: PolicyState, user: string, roles: readonly string[]) =>
    explain(createEvaluator(given, { fidelity }), { user, roles, ...read });

  test('name the group that allowed, and the reasons why others did not', () => {
    const { by, reason, considered } = ask(state, 'bob', ['ops', '', 'dev']);
    expect([reason, by?.via, by?.group, by?.role]).toEqual(['allowed', 'group', 'dev', 'viewer']);
    const groups = considered.filter(({ via }) => via === 'group').map(({ group, outcome }) => [group, outcome]);
    expect(groups.sort()).toEqual([
      ['dev', 'allowed'],
      ['ops', 'missing-role'],
      ['ops', 'no-scope'],
    ]);
    expect(formatExplanation(ask(state, 'bob', ['dev']))).toContain('- group "dev", bound to role "viewer": allows');
  });

  test('list a group or role once that the question names twice', () => {
    const once = ask(state, 'bob', ['ops', 'dev', 'viewer']);
    expect(ask(state, 'bob', ['ops', 'dev', 'ops', 'viewer', 'dev', 'viewer']).considered).toEqual(once.considered);
  });

  test('say that a role of the user hides the binding of a group', () => {
    const hiding = { ...state, bindings: [{ user: 'bob', role: 'dev:viewer', scope: everything }] };
    const { considered, decision } = ask(hiding, 'bob', ['dev']);
    expect(decision.allowed).toBe(fidelity === 'documented');
    expect(considered.find(({ via }) => via === 'group')?.outcome).toBe(
      fidelity === 'documented' ? 'allowed' : 'hidden',
    );
  });
});

const unparsable = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*x*'] }] } as const;

test.each([
  [everything, unparsable],
  [unparsable, everything],
])('one of two bindings to a role is enough to hide that of a group', (first, second) => {
  const bindings = [
    { user: 'bob', role: 'dev:viewer', scope: first },
    { user: 'bob:x', role: 'dev:viewer', scope: second },
  ];
  const evaluator = createEvaluator({ ...state, bindings }, { fidelity: 'sidecar' });
  const { considered, decision } = explain(evaluator, { user: 'bob', roles: ['dev'], ...read });
  expect([decision.allowed, considered.at(-1)?.outcome]).toEqual([false, 'hidden']);
});

test.each(['documented', 'sidecar'] as const)(
  'an explanation agrees with the decision on random groups: %s',
  (fidelity) => {
    const numbers = fc.array(fc.nat(), { minLength: 8, maxLength: 8 });
    const counts = new Map<string, number>();
    fc.assert(
      fc.property(withGroups(fidelity === 'sidecar' ? faultyStateArb : stateArb), numbers, (random, seeds) => {
        const evaluator = createEvaluator(random, { fidelity });
        for (const seed of seeds) {
          const binding = random.groupBindings[seed % random.groupBindings.length];
          const fitting = { ...random, bindings: [{ user: 'x', role: binding?.role ?? '', scope: binding?.scope }] };
          const { action, resource } = requestFor(fitting, seed);
          const roles = [groupNames[seed % 6] ?? '', binding?.group ?? ''];
          const user = ['stranger', 'u', ''][(seed >> 3) % 3] ?? '';
          const { decision, by, reason } = explain(evaluator, { user, roles, action, resource });
          const told = [by !== undefined, reason === 'allowed'];
          if (told.some((one) => one !== decision.allowed)) expect({ user, roles, told }).toEqual(decision);
          counts.set(by?.via ?? 'none', (counts.get(by?.via ?? 'none') ?? 0) + 1);
        }
      }),
      runsOf(4_000),
    );
    console.log(fidelity, Object.fromEntries(counts));
    expect(counts.get('group')).toBeGreaterThan(100);
  },
);
