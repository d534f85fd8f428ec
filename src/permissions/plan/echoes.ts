import { type Binding, samePolicy } from '../../policy/index.js';
import type { PermissionsState } from '../model/model.js';

/**
 * Leaves out bindings that were read twice. The services find the bindings of a user by the prefix `user:` of their
 * names, so the list of `ann` has those of `ann:eu`, too, as if they were hers.
 */
export function withoutEchoes(state: PermissionsState): PermissionsState {
  const { users, bindings } = state;
  if (users === 'all' || !users.some((user) => user.includes(':'))) return state;
  const left = new Set(bindings);
  const isAbove = (user: string, owner: string) => owner.startsWith(`${user}:`);
  // The longest names first: what is left of them is stored under these names.
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
