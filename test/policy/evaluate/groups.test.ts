import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEvaluator, type PolicyState } from '../../../src/policy/index.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { everything } from '../support/arbitrary.ts';
import { groupStateArb, nextQuestion } from '../support/group-states.ts';
import { naiveWithGroups } from '../support/naive-groups.ts';

const reader = { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] } as const;
const nothing = { statements: [{ effect: 'Allow', actions: ['none:none'], resources: ['*'] }] } as const;
const state: PolicyState = {
  policies: { reader },
  roles: { viewer: { policies: ['reader'] }, 'dev:viewer': { policies: [] } },
  groupBindings: [{ group: 'dev', role: 'viewer', scope: everything }],
};
const read = { action: 'orders:read', resource: 'order:7' };

describe.each(['documented', 'sidecar'] as const)('bindings of groups in %s fidelity', (fidelity) => {
  const allowed = (given: PolicyState, user: string | undefined, roles: readonly string[]) =>
    createEvaluator(given, { fidelity }).isAllowed(user === undefined ? { roles, ...read } : { user, roles, ...read });

  test('a group in the request adds its access to that of the user', () => {
    expect(allowed(state, 'alice', ['dev'])).toBe(true);
    expect(allowed(state, undefined, ['dev'])).toBe(true);
    expect(allowed(state, 'alice', ['', 'Dev', 'de'])).toBe(false);
    expect(allowed(state, 'dev', [])).toBe(false);
  });

  test('a user does not get the access of a group of the same name, nor a group that of a user', () => {
    const user = { ...state, groupBindings: [], bindings: [{ user: 'dev', role: 'viewer', scope: everything }] };
    expect(allowed(user, 'alice', ['dev'])).toBe(false);
  });

  test('an empty user has the access of its groups only from the observed services', () => {
    expect(allowed(state, '', ['dev'])).toBe(fidelity === 'sidecar');
  });

  test('a group is a prefix of binding names only in sidecar fidelity', () => {
    const nested = { ...state, groupBindings: [{ group: 'dev:web', role: 'viewer', scope: everything }] };
    expect(allowed(nested, 'alice', ['dev:web'])).toBe(true);
    expect(allowed(nested, 'alice', ['dev'])).toBe(fidelity === 'sidecar');
  });

  test('a role named like a binding of a group hides it in sidecar fidelity', () => {
    const hiding = { ...state, bindings: [{ user: 'alice', role: 'dev:viewer', scope: everything }] };
    expect(allowed(hiding, 'alice', ['dev'])).toBe(fidelity === 'documented');
    expect(allowed(hiding, 'bob', ['dev'])).toBe(true);
    expect(allowed({ ...hiding, roles: { viewer: { policies: ['reader'] } } }, 'alice', ['dev'])).toBe(true);
    expect(allowed({ ...hiding, bindings: [{ user: 'alice', role: 'dev:viewer' }] }, 'alice', ['dev'])).toBe(true);
  });

  test('writes apply at once, also to a clone alone', () => {
    const evaluator = createEvaluator(state, { fidelity });
    const ask = (from = evaluator) => from.isAllowed({ user: 'alice', roles: ['dev'], ...read });
    const copy = evaluator.clone();
    expect([ask(), ask(copy)]).toEqual([true, true]);
    expect(evaluator.deleteGroupBinding('dev', 'viewer')).toBe(true);
    expect(evaluator.deleteGroupBinding('dev', 'viewer')).toBe(false);
    expect([ask(), ask(copy)]).toEqual([false, true]);
    evaluator.setGroupBinding({ group: 'dev', role: 'viewer', scope: everything });
    evaluator.setPolicy('reader', nothing);
    expect([ask(), ask(copy)]).toEqual([false, true]);
    evaluator.setPolicy('reader', reader);
    evaluator.setRole('viewer', { policies: [] });
    expect(ask()).toBe(false);
    expect(evaluator.groupBindings()).toEqual([{ group: 'dev', role: 'viewer', scope: everything }]);
    expect(evaluator.groups()).toEqual(['dev']);
    expect(evaluator.groupBindings('other')).toEqual([]);
  });
});

test('an invalid binding of a group is refused with its path in documented fidelity', () => {
  const faulty = { groupBindings: [{ group: '', role: 'viewer' }] };
  expect(() => createEvaluator(faulty)).toThrow('groupBindings[0].group: must not be empty');
  expect(() => createEvaluator({ groupBindings: 'dev' } as never)).toThrow('groupBindings: expected a list');
  expect(() => createEvaluator({ groupBinding: [] } as never)).toThrow('groupBinding');
});

test('the faults of groups are listed with the groups', () => {
  const scope = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*x*'] }] } as const;
  const evaluator = createEvaluator(
    { ...state, groupBindings: [{ group: 'dev', role: 'viewer', scope }] },
    {
      fidelity: 'sidecar',
    },
  );
  expect(evaluator.faults('alice')).toEqual([]);
  expect(evaluator.faults('alice', ['dev'])).toMatchObject([{ role: 'viewer', segment: '*x*' }]);
  expect(evaluator.faults(undefined, ['dev'])).toHaveLength(1);
});

const perState = 20;

test.each(['documented', 'sidecar'] as const)('random groups decide as the naive evaluator does: %s', (fidelity) => {
  const cases = 200_000;
  const seen = { cases: 0, own: 0, group: 0, collision: 0, missing: 0, none: 0 };
  const numbers = fc.array(fc.nat(), { minLength: perState, maxLength: perState });
  fc.assert(
    fc.property(groupStateArb(fidelity), numbers, (random, seeds) => {
      const evaluator = createEvaluator(random, { fidelity });
      for (const seed of seeds) {
        const asked = nextQuestion(random, fidelity, seed);
        const expected = naiveWithGroups(random, fidelity, asked);
        for (let time = 0; time < 3; time++) {
          const { allowed } = evaluator.evaluate(asked);
          if (allowed !== expected.allowed) expect({ asked, time, allowed }).toEqual({ asked, time, ...expected });
        }
        seen.cases++;
        seen[expected.part]++;
      }
    }),
    runsOf(cases / perState, 40),
  );
  const share = (count: number) => `${((100 * count) / seen.cases).toFixed(1)}%`;
  console.log(
    `${fidelity}: ${seen.cases} decisions with groups: ${share(seen.own)} allowed by the user's own, ` +
      `${share(seen.group)} by a group only, ${share(seen.collision)} hidden by a role's name, ` +
      `${share(seen.missing)} with a missing part, ${share(seen.none)} otherwise`,
  );
  expect(seen.cases).toBeGreaterThanOrEqual(partOf(cases, 40));
  expect(seen.group / seen.cases).toBeGreaterThan(0.25);
  expect((seen.collision + seen.missing) / seen.cases).toBeGreaterThan(0.25);
});
