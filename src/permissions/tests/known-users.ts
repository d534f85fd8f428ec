import { hasMethod } from '../../lib/values.js';
import type { PermissionsState } from '../model/model.js';

/**
 * The problem of a question about a user whose bindings a state does not know: a Deny would say nothing. Files have all
 * bindings; a state that was read from a deployment has those of the users named.
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
