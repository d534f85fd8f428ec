import { evaluationRules } from '../model/fidelity.js';
import type { GroupBinding } from '../model/model.js';
import type { Evaluator } from './evaluator.js';
import { skipped } from './load.js';

/** A user's roles that hide the binding of the group `group:role` in sidecar fidelity (docs/wire.md, "Groups"). */
export function hidingRoles(evaluator: Evaluator, user: string | undefined): readonly string[] {
  if (!user || !evaluationRules[evaluator.fidelity].bindingsByName) return [];
  return evaluator
    .bindings(user)
    .flatMap(({ role, scope }) => (scope && scope !== skipped && evaluator.role(role) ? role : []));
}

/** The bindings of groups. An empty name, or anything but a text, is not a group. */
export const bindingsOfGroups = (evaluator: Evaluator, names: readonly unknown[]): readonly GroupBinding[] =>
  names.flatMap((name) => (typeof name === 'string' && name !== '' ? evaluator.groupBindings(name) : []));
