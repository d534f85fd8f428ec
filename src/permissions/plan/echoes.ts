import { ownersAbove } from '../../policy/evaluate/binding-chain.js';
import { samePolicy } from '../../policy/index.js';
import type { PermissionsState } from '../model/permissions-state.js';
import type { AnyBinding } from '../model/plan-change.js';

/** Omits the echoes of bindings of users, or of groups: the copies that were read under one of the shorter `names`. */
function omitEchoes<T extends AnyBinding>(
  names: PermissionsState['groups'],
  bindings: readonly T[],
  nameOf: (binding: T) => string,
): readonly T[] {
  if (typeof names !== 'object' || !names.some((name) => name.includes(':'))) return bindings;
  const read = new Set(names);
  const byName = Map.groupBy(bindings, nameOf);
  const remaining = new Set(bindings);
  // Longest names first, because an echo under `a:b` has an echo under `a` itself.
  const echoed = bindings
    .filter((binding) => nameOf(binding).includes(':'))
    .sort((a, b) => nameOf(b).length - nameOf(a).length);
  for (const original of echoed) {
    if (!remaining.has(original)) continue;
    const isEcho = ({ role, scope }: T) => role === original.role && samePolicy(scope, original.scope);
    for (const name of ownersAbove(nameOf(original))) {
      const under = read.has(name) ? byName.get(name) : undefined;
      const echo = under?.find((binding) => remaining.has(binding) && isEcho(binding));
      if (echo) remaining.delete(echo);
    }
  }
  return [...remaining];
}

/**
 * Omits bindings that were read twice: the services list the bindings of `ann` by the name prefix `ann:`, so the list
 * also contains the bindings of `ann:eu`, reported as bindings of `ann`; so for groups.
 */
export function withoutEchoes(state: PermissionsState): PermissionsState {
  const { users, bindings, groups, groupBindings } = state;
  return {
    ...state,
    bindings: omitEchoes(users, bindings, ({ user }) => user),
    ...(groupBindings && { groupBindings: omitEchoes(groups, groupBindings, ({ group }) => group) }),
  };
}
