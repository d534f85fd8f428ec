import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PermissionsState, type PermissionTests, runTests } from '../../../src/permissions/index.ts';
import { whoCan } from '../../../src/policy/analysis/index.ts';
import { createEvaluator, type Policy } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { partOf, runsOf } from '../../support/thorough.ts';
import { questions, stateArb, users } from '../support/states.ts';

const place = { file: 't', line: 1, column: 1 };
const asked = questions.flatMap((one) => ('user' in one ? one : []));

/** States in which access is common: each user has each role, most of them everywhere. */
const openStateArb = stateArb.map((state): PermissionsState => {
  const bindings = users.flatMap((user) =>
    [...state.roles.keys()].map((role) => {
      const narrowed = state.bindings.find((one) => one.user === user && one.role === role);
      return { user, role, scope: narrowed?.scope ?? everything };
    }),
  );
  return { ...state, bindings };
});

test('an entry of `nobody` passes if and only if none but the exceptions can do any of it', () => {
  const entryArb = fc.record({
    action: fc.constantFrom('*', 'a:*', 'a:x'),
    resource: fc.constantFrom('*', 'd:*', 'd:1', 'e'),
    exceptUsers: fc.option(fc.subarray(users), { nil: undefined }),
  });
  let [passes, failures] = [0, 0];
  fc.assert(
    fc.property(openStateArb, entryArb, (state, entry) => {
      const tests: PermissionTests = { file: 't', given: [], expect: [], nobody: [{ ...entry, ...place }] };
      const { passed } = runTests(state, [tests]);
      passed ? passes++ : failures++;
      const isOther = (user: string | undefined) => user !== undefined && !entry.exceptUsers?.includes(user);
      const { action, resource } = entry;
      const others = whoCan(state, { action, resource }, { match: 'any' }).filter(({ user }) => isOther(user));
      expect(passed).toBe(others.length === 0);
      const inside = (pattern: string, text: string) => pattern === text || text.startsWith(pattern.replace('*', ''));
      const evaluator = createEvaluator(state);
      for (const question of passed ? asked : []) {
        const isAsked = inside(entry.action, question.action) && inside(entry.resource, question.resource);
        if (isAsked && isOther(question.user)) expect(evaluator.isAllowed(question)).toBe(false);
      }
    }),
    runsOf(500),
  );
  expect(Math.min(passes, failures)).toBeGreaterThan(partOf(10));
});

/** A state without the items that decided nothing. They come in the order of policies, then bindings with scopes. */
function withoutIdle(state: PermissionsState, decided: readonly number[]): PermissionsState {
  let next = 0;
  const take = () => (decided[next++] ?? 0) > 0;
  const keep = ({ statements }: Policy): Policy => ({ statements: statements.filter(take) });
  const policies = new Map([...state.policies].map(([name, policy]) => [name, keep(policy)]));
  const bindings = state.bindings.flatMap(({ user, role, scope }) => {
    const kept = take();
    const narrowed = keep(scope ?? { statements: [] });
    return kept ? [{ user, role, scope: narrowed }] : [];
  });
  expect(next).toBe(decided.length);
  return { ...state, policies, bindings };
}

test('without the statements and bindings that decided nothing, each decision is the same', () => {
  let idle = 0;
  fc.assert(
    fc.property(stateArb, fc.subarray(asked), (state, some) => {
      const evaluator = createEvaluator(state);
      const tests: PermissionTests = {
        file: 't',
        given: [],
        expect: some.map((one) => ({ ...one, effect: evaluator.evaluate(one).effect, ...place })),
        nobody: [],
      };
      const { passed, coverage } = runTests(state, [tests]);
      expect(passed).toBe(true);
      const decided = coverage.items.map((item) => item.decided);
      idle += decided.filter((count) => count === 0).length;
      const rest = createEvaluator(withoutIdle(state, decided));
      expect(some.map((one) => rest.evaluate(one).effect)).toEqual(some.map((one) => evaluator.evaluate(one).effect));
    }),
    runsOf(300),
  );
  expect(idle).toBeGreaterThan(partOf(100));
});
