import { hasMethod } from '../../base/lib/values.js';
import type { PermissionsState } from './permissions-state.js';
import { type BindingItemOwner, describeOwner } from './plan-change.js';

/** The groups whose bindings a state holds. Without groups of its own, the state of a deployment knows none. */
export const knownGroupsOf = ({
  users,
  groups = Array.isArray(users) ? [] : 'all',
}: Partial<Pick<PermissionsState, 'users' | 'groups'>>): NonNullable<PermissionsState['groups']> => groups;

/** Names of users and groups. */
export interface KnownOwners {
  readonly users?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** Returns a function that tells if a list of users or groups names the owner; `all` names none. */
export function isKnownIn({
  users,
  groups,
}: KnownOwners | Pick<PermissionsState, 'users' | 'groups'>): (item: BindingItemOwner) => boolean {
  const setOf = (names: PermissionsState['groups']) => new Set(typeof names === 'object' ? names : []);
  const [knownUsers, knownGroups] = [setOf(users), setOf(groups)];
  return ({ user, group }) => (group === undefined ? knownUsers.has(user) : knownGroups.has(group));
}

/**
 * Finds the first user or group whose bindings a state does not know, and describes the problem: a Deny would prove
 * nothing. Files hold all bindings; a state read from a deployment may hold those of some users and groups only.
 */
export function unknownOwnersOf(
  state: Partial<Pick<PermissionsState, 'users' | 'groups'>>,
): (owners: readonly BindingItemOwner[]) => string | undefined {
  const setOf = (names: PermissionsState['groups']) =>
    typeof names === 'object' && !hasMethod(state, 'locate') ? new Set(names) : undefined;
  const [knownUsers, knownGroups] = [setOf(state.users), setOf(knownGroupsOf(state))];
  return (owners) => {
    const unknown = owners.find(({ user, group }) =>
      group === undefined ? knownUsers?.has(user) === false : knownGroups?.has(group) === false,
    );
    if (unknown === undefined) return undefined;
    const kind = unknown.group === undefined ? 'user' : 'group';
    return `bindings of ${describeOwner(unknown)} are not known: name the ${kind} to readState`;
  };
}

/** The owners of the bindings that count for a question of a user with these groups. */
export const ownersIn = (user: string | undefined, groups: readonly string[] = []): BindingItemOwner[] => [
  ...(user === undefined ? [] : [{ user }]),
  ...groups.map((group) => ({ group })),
];
