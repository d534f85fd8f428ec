import { type Binding, samePolicy } from '../../policy/index.js';
import type { PermissionsState } from '../model/permissions-state.js';

/**
 * Omits bindings that were read twice: the services list the bindings of `ann` by the name prefix `ann:`, so the list
 * also contains the bindings of `ann:eu`, reported as bindings of `ann`.
 */
export function withoutEchoes(state: PermissionsState): PermissionsState {
  const { users, bindings } = state;
  if (users === 'all' || !users.some((user) => user.includes(':'))) return state;
  const left = new Set(bindings);
  const isAbove = (user: string, owner: string) => owner.startsWith(`${user}:`);
  // Longest user names first, so that each binding is assigned to the longest name that matches.
  const owners = bindings.filter(({ user }) => user.includes(':')).sort((a, b) => b.user.length - a.user.length);
  for (const owned of owners) {
    if (!left.has(owned)) continue;
    for (const user of users) {
      if (!isAbove(user, owned.user)) continue;
      const isEcho = (one: Binding) =>
        one.user === user && one.role === owned.role && samePolicy(one.scope, owned.scope) && left.has(one);
      const echo = bindings.find(isEcho);
      if (echo) left.delete(echo);
    }
  }
  return { ...state, bindings: [...left] };
}
