import { samePolicy } from '../../policy/index.js';
import type { PermissionsState } from '../model/permissions-state.js';
import type { AnyBinding } from '../model/plan-change.js';

/** Omits the bindings of users, or of groups, that were read twice. */
function omitEchoes<T extends AnyBinding>(
  names: PermissionsState['groups'],
  bindings: readonly T[],
  nameOf: (binding: T) => string,
): readonly T[] {
  if (typeof names !== 'object' || !names.some((name) => name.includes(':'))) return bindings;
  const left = new Set(bindings);
  // Longest names first, so that each binding is assigned to the longest name that matches.
  const owners = bindings
    .filter((binding) => nameOf(binding).includes(':'))
    .sort((a, b) => nameOf(b).length - nameOf(a).length);
  for (const owned of owners) {
    if (!left.has(owned)) continue;
    for (const name of names) {
      if (!nameOf(owned).startsWith(`${name}:`)) continue;
      const echo = bindings.find(
        (one) => nameOf(one) === name && one.role === owned.role && samePolicy(one.scope, owned.scope) && left.has(one),
      );
      if (echo) left.delete(echo);
    }
  }
  return [...left];
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
