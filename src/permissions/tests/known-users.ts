import { hasMethod } from '../../base/lib/values.js';
import type { PermissionsState } from '../model/permissions-state.js';

/**
 * Describes the problem of a question about a user whose bindings are unknown: its Deny would prove nothing. Files hold
 * all bindings; a state read from a deployment may hold those of some users only.
 */
export function unknownUser(
  state: Partial<Pick<PermissionsState, 'users'>>,
  user: string | undefined,
): string | undefined {
  const { users } = state;
  if (user === undefined || !Array.isArray(users) || hasMethod(state, 'locate') || users.includes(user))
    return undefined;
  return `the bindings of user ${JSON.stringify(user)} are not known: name the user to readState`;
}

/** The same for the groups of a question. Without groups of its own, the state of a deployment knows none. */
export function unknownGroup(
  state: Partial<Pick<PermissionsState, 'users' | 'groups'>>,
  names: readonly string[] = [],
): string | undefined {
  if (hasMethod(state, 'locate')) return undefined;
  const { users, groups = Array.isArray(users) ? [] : 'all' } = state;
  const unknown = typeof groups === 'object' && names.find((name) => !groups.includes(name));
  return typeof unknown === 'string'
    ? `the bindings of group ${JSON.stringify(unknown)} are not known: name the group to readState`
    : undefined;
}
