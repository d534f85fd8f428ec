import type { Evaluator } from '../../policy/index.js';
import { freshDeployment } from '../../policy/model/fresh-deployment.js';
import { bindingKey, bindingPaths } from '../model/binding-key.js';
import { describeItem, type ItemName } from '../model/plan-change.js';
import type { GivenBinding } from './given.js';
import type { TestedState } from './test-coverage.js';

const { policies, roles, bindings } = freshDeployment;

/** The bindings of a new deployment. Each has a scope. */
export const freshBindings: readonly GivenBinding[] = bindings.flatMap(({ user, role, scope }) =>
  scope ? [{ user, role, scope }] : [],
);

/**
 * Finds items of a new deployment that the state has, too. A predefined role to which custom resources attach policies
 * does not count.
 */
export function findFreshTwice(state: TestedState): string[] {
  const attached = new Set(state.operator?.roles);
  const bound = bindingPaths(state);
  const twice: ItemName[] = [
    ...[...policies.keys()].flatMap((name) => (state.policies.has(name) ? { kind: 'policy' as const, name } : [])),
    ...[...roles.keys()].flatMap((name) =>
      state.roles.has(name) && !attached.has(name) ? { kind: 'role' as const, name } : [],
    ),
    ...bindings.flatMap(({ user, role }) =>
      bound.has(bindingKey({ user, role })) ? { kind: 'binding' as const, user, role } : [],
    ),
  ];
  return twice.map((item) => `a new deployment has the ${describeItem(item)}, and so have the permissions`);
}

/** Adds the policies and roles of a new deployment, and keeps the policies that are attached to its roles. */
export function addFresh(evaluator: Evaluator): void {
  for (const [name, policy] of policies) evaluator.setPolicy(name, policy);
  for (const [name, role] of roles) {
    const attached = evaluator.role(name)?.policies ?? [];
    evaluator.setRole(name, { ...role, policies: [...new Set([...role.policies, ...attached])] });
  }
}
