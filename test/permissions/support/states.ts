import fc from 'fast-check';
import type { Manage, PermissionsState } from '../../../src/permissions/index.ts';
import { createEvaluator, type Evaluator, type Policy } from '../../../src/policy/index.ts';

// Small universes: two states often share names, and each pattern often meets another.

export const users = ['ann', 'bob'];
// In sidecar fidelity, a binding of ann to r1:x is one of the user ann:r1, too.
const roles = ['r1', 'r2', 'r1:x'];
const policies = ['p1', 'p2', 'p3'];
const actions = ['a:x', 'a:y'];
const resources = ['d:1', 'd:2'];

const statementArb = fc.record({
  effect: fc.constantFrom('Allow' as const, 'Allow' as const, 'Deny' as const),
  actions: fc.subarray(['*', 'a:*', ...actions], { minLength: 1, maxLength: 2 }),
  resources: fc.subarray(['*', 'd:*', ...resources], { minLength: 1, maxLength: 2 }),
});
const policyArb: fc.Arbitrary<Policy> = fc.record({ statements: fc.array(statementArb, { maxLength: 2 }) });

const subset = (all: readonly string[]) => fc.subarray([...all]);
const mapOf = <T>(names: readonly string[], value: fc.Arbitrary<T>): fc.Arbitrary<Map<string, T>> =>
  subset(names).chain((kept) =>
    fc.tuple(...kept.map(() => value)).map((values) => new Map(kept.map((name, i) => [name, values[i] as T]))),
  );

export const stateArb: fc.Arbitrary<PermissionsState> = fc
  .record({
    policies: mapOf(policies, policyArb),
    roles: mapOf(roles, fc.record({ policies: subset(policies), scope: fc.option(policyArb, { freq: 5 }) })),
    bindings: mapOf(
      users.flatMap((user) => roles.map((role) => `${user} ${role}`)),
      policyArb,
    ),
  })
  .map(({ bindings, ...rest }) => ({
    ...rest,
    bindings: [...bindings].map(([key, scope]) => {
      const [user = '', role = ''] = key.split(' ');
      return { user, role, scope };
    }),
    users: 'all' as const,
  }));

export const manageAll: Manage = { policies: ['*'], roles: ['*'], users: ['*'] };

/** Every question of the universe, by its subject. */
export const questions = [
  ...[...users, 'ann:r1'].map((user) => ({ user })),
  ...roles.map((role) => ({ roles: [role] })),
].flatMap((subject) =>
  actions.flatMap((action) => [...resources, 'e'].map((resource) => ({ ...subject, action, resource }))),
);

/** The answers to all questions. */
export const answers = (evaluator: Evaluator): boolean[] => questions.map((one) => evaluator.isAllowed(one));

export const answersOf = (state: PermissionsState): boolean[] => answers(createEvaluator(state));
