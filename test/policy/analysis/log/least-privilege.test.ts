import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare, leastPrivilege } from '../../../../src/policy/analysis/index.ts';
import type { DecisionLine } from '../../../../src/policy/decision-line/line.ts';
import { createEvaluator, type Evaluator, type PolicyState } from '../../../../src/policy/index.ts';
import { partOf, runsOf } from '../../../support/thorough.ts';
import { faultyStateArb, requestFor, stateArb, userNames } from '../../support/arbitrary.ts';
import { dice } from '../support/rewrite.ts';
import { decisionOf, everywhere } from './support.ts';

const state: PolicyState = {
  policies: {
    reader: {
      statements: [
        { effect: 'Deny', actions: ['orders:read'], resources: ['order:secret:*'] },
        { effect: 'Deny', actions: ['orders:write'], resources: ['*'] },
        { effect: 'Allow', actions: ['orders:*'], resources: ['order:*', 'bill:*'] },
        { effect: 'Allow', actions: ['orders:read'], resources: ['order:7'] },
      ],
    },
    idle: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] },
  },
  roles: { viewer: { policies: ['reader', 'idle'] }, owner: { policies: ['idle'] } },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'bob', role: 'owner', scope: everywhere },
  ],
};
const denied = { policies: ['reader'] };
const withoutIdle = { ...state, roles: { ...state.roles, viewer: denied } };
const lines = [
  decisionOf(),
  decisionOf({ resource: 'order:8' }),
  decisionOf({ action: 'orders:list' }),
  decisionOf({ action: 'orders:list', resource: 'order:8' }),
  decisionOf({ subject: { user: 'carol' } }),
  decisionOf({ effect: 'Deny', action: 'orders:write' }),
];

test('statements are narrowed to the log, or as far as generalise says', async () => {
  const of = async (generalise?: 'resources' | 'statements') => {
    const found = await leastPrivilege(lines, withoutIdle, { generalise });
    expect(compare(withoutIdle, found.state).gained).toEqual([]);
    expect(found.notGranted).toMatchObject([{ subject: { user: 'carol' }, count: 1 }]);
    expect(found.log).toMatchObject({ count: 6, days: 1, users: 2 });
    expect([found.state.policies(), found.state.roles(), found.state.users()]).toEqual([
      ['reader'],
      ['viewer'],
      ['alice'],
    ]);
    return found.state.policy('reader')?.statements;
  };
  const asked = { effect: 'Allow', actions: ['orders:list', 'orders:read'], resources: ['order:7', 'order:8'] };
  expect(await of()).toEqual([asked]);
  expect(await of('resources')).toEqual([
    { effect: 'Deny', actions: ['orders:read'], resources: ['order:secret:*'] },
    { ...asked, resources: ['order:*'] },
  ]);
  expect(await of('statements')).toHaveLength(3);
});

test('a name with a wildcard stays as narrow as it was granted', async () => {
  const found = await leastPrivilege([decisionOf({ resource: 'order:*' })], withoutIdle);
  expect(found.state.policy('reader')?.statements.at(-1)?.resources).toEqual(['order:*']);
  expect(compare(withoutIdle, found.state).gained).toEqual([]);
});

const users = [...userNames, 'stranger'];

/** Yields a copy of a state without each of its statements that allow. */
function* withoutOne(evaluator: Evaluator) {
  for (const name of evaluator.policies()) {
    const policy = evaluator.policy(name) ?? { statements: [] };
    for (const [i, { effect }] of policy.statements.entries()) {
      if (effect !== 'Allow') continue;
      const copy = evaluator.clone();
      copy.setPolicy(name, { statements: policy.statements.filter((_, at) => at !== i) });
      yield { copy, name, i };
    }
  }
}

describe.each(['documented', 'sidecar'] as const)('random states in %s fidelity', (fidelity) => {
  test.each([undefined, 'resources', 'statements'] as const)(
    'leastPrivilege keeps all that the log allowed, adds nothing and leaves nothing to remove (generalise: %s)',
    async (generalise) => {
      let removed = 0;
      const anyState = fidelity === 'sidecar' ? faultyStateArb : stateArb;
      await fc.assert(
        fc.asyncProperty(anyState, fc.nat({ max: 0x7fffffff }), async (given, seed) => {
          const below = dice(seed);
          const evaluator = createEvaluator(given, { fidelity });
          const asked = Array.from({ length: 40 }, () => requestFor(given, below(0x7fffffff)));
          const decided = asked.map(({ user: own, roles, action, resource }): DecisionLine => {
            const user = below(2) === 0 ? own : (users[below(users.length)] ?? own);
            const { effect } = evaluator.evaluate({ user, ...(roles && { roles }), action, resource });
            return decisionOf({ subject: { user, ...(roles && { groups: roles }) }, action, resource, effect });
          });
          const { state: least, notGranted } = await leastPrivilege(decided, evaluator, { generalise });
          expect(notGranted).toEqual([]);
          const allowed = decided.filter(({ effect }) => effect === 'Allow');
          const isAllowed = (by: Evaluator, { subject: { user = '', groups }, action, resource }: DecisionLine) =>
            by.isAllowed({ user, ...(groups && { roles: groups }), action, resource });
          expect(allowed.filter((one) => !isAllowed(least, one))).toEqual([]);
          expect(compare(evaluator, least).gained).toEqual([]);
          for (const { action, resource } of decided) {
            // Of anyone, by the evaluators themselves as well as by `compare`.
            const gaining = users.filter(
              (user) => least.isAllowed({ user, action, resource }) && !evaluator.isAllowed({ user, action, resource }),
            );
            expect(gaining).toEqual([]);
          }
          for (const { copy, name, i } of withoutOne(least)) {
            removed += 1;
            expect({ name, i, lost: allowed.some((one) => !isAllowed(copy, one)) }).toEqual({ name, i, lost: true });
          }
        }),
        runsOf(100),
      );
      expect(removed).toBeGreaterThan(partOf(20));
    },
  );
});
