import { evaluationRules } from '../model/fidelity.js';
import type { Evaluator } from './evaluator.js';

/**
 * The names of a user's roles that hide the binding of a group with that name, `group:role`, in sidecar fidelity.
 * Source: docs/wire.md, "Groups".
 */
export function hidingRoles(evaluator: Evaluator, user: string | undefined): readonly string[] {
  if (!user || !evaluationRules[evaluator.fidelity].bindingsByName) return [];
  const counting = evaluator
    .bindings(user)
    .filter(({ role, scope }) => role.includes(':') && scope && evaluator.role(role));
  if (counting.length === 0) return [];
  const unusable = evaluator.faults(user).flatMap(({ role, policy }) => (policy === undefined ? role : []));
  return counting.flatMap(({ role }) => (unusable.includes(role) ? [] : role));
}
