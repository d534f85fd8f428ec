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
