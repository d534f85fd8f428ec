import type { UserRole } from '../client/services/authorization/authorization-messages.js';
import { samePolicy } from '../policy/index.js';

type Lists = ReadonlyMap<string, readonly UserRole[]>;

const hasSame = (list: readonly UserRole[], { role, scope }: UserRole): boolean =>
  list.some((binding) => binding.role === role && samePolicy(binding.scope, scope));

/** True if two bindings to one role count for a user, under two names. The services use either of them. */
function isAmbiguous(list: readonly UserRole[]): boolean {
  const scopes = new Map<string, UserRole['scope']>();
  return list.some(({ role, scope }) => {
    const isTwice = scopes.has(role) && !samePolicy(scopes.get(role), scope);
    scopes.set(role, scope);
    return isTwice;
  });
}

/** True if the binding must be another user's: as one of `user`, it would be in the list of a user who lacks it. */
const isBorrowed = (user: string, binding: UserRole, lists: Lists): boolean =>
  [...binding.role.matchAll(/:/g)].some(({ index }) => {
    const list = lists.get(`${user}:${binding.role.slice(0, index)}`);
    return list !== undefined && !hasSame(list, binding);
  });

/**
 * The users whose bindings do not follow from the lists of the services. A list is read by the prefix `user:` of names
 * like `user:role`. If names hold a `:`, it also has bindings of other users, and does not say of whom.
 */
export const findUnclear = (lists: Lists): string[] =>
  [...lists].flatMap(([user, list]) =>
    isAmbiguous(list) || list.some((binding) => isBorrowed(user, binding, lists)) ? user : [],
  );
