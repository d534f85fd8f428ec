import type { Binding, EvaluatorQuestion, Fidelity, GroupBinding, Policy, Role } from '../../../src/policy/index.ts';
import { naiveEvaluate } from './naive.ts';

// The union of a user's bindings with those of groups, written from the description of the services alone.

export interface GroupState {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly bindings: readonly Binding[];
  readonly groupBindings: readonly GroupBinding[];
}

/** The outcome, and what a group's part in it was. */
export interface GroupDecision {
  readonly allowed: boolean;
  readonly part: 'own' | 'group' | 'collision' | 'missing' | 'none';
}

const unparsable = (pattern: string) => pattern.split(':').some((part) => /^\*.*\*$/su.test(part) && part.length > 1);
const isUsable = (scope: Policy | null | undefined): scope is Policy =>
  scope?.statements.every(
    ({ actions, resources }) =>
      !resources.some(unparsable) &&
      actions.every((action) => action === '*' || (action.split(':').length === 2 && !unparsable(action))),
  ) === true;

/** True if one binding, as if it were the only one of its holder, allows. */
function allows({ policies, roles }: GroupState, fidelity: Fidelity, binding: GroupBinding, asked: EvaluatorQuestion) {
  const { action, resource } = asked;
  const bindings = [{ user: 'holder', role: binding.role, scope: binding.scope }];
  const question = { user: 'holder', action, resource };
  return naiveEvaluate({ policies, roles, bindings }, fidelity, question).effect === 'Allow';
}

export function naiveWithGroups(state: GroupState, fidelity: Fidelity, asked: EvaluatorQuestion): GroupDecision {
  const { user, roles: groups = [] } = asked;
  const own = user === '' ? undefined : naiveEvaluate(state, fidelity, asked);
  if (own?.effect === 'Allow') return { allowed: true, part: 'own' };
  const byKey = fidelity === 'sidecar';
  if (!byKey && user === '') return { allowed: false, part: 'none' };
  const stored = new Map(state.groupBindings.map((one, i) => [byKey ? `${one.group}:${one.role}` : String(i), one]));
  /** The keys that the user's own roles take. */
  const taken = new Set<string>();
  if (byKey && user !== undefined && user !== '') {
    const kept = new Map(state.bindings.map((one) => [`${one.user}:${one.role}`, one]));
    for (const [name, { role, scope }] of kept) {
      if (name.startsWith(`${user}:`) && state.roles.has(role) && isUsable(scope)) taken.add(role);
    }
  }
  let part: GroupDecision['part'] = 'none';
  for (const group of groups) {
    if (group === '') continue;
    for (const [key, binding] of stored) {
      if (byKey ? !key.startsWith(`${group}:`) : binding.group !== group) continue;
      if (!state.roles.has(binding.role) || !isUsable(binding.scope)) part = part === 'none' ? 'missing' : part;
      else if (!allows(state, fidelity, binding, asked)) continue;
      else if (taken.has(key)) part = 'collision';
      else return { allowed: true, part: 'group' };
    }
  }
  return { allowed: false, part };
}
