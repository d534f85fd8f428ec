import { readStateOptions } from '../../policy/evaluate/state-options.js';
import { readPolicyOptions } from '../../policy/model/validate.js';
import { PermissionsError } from './permissions-error.js';

/**
 * Refuses misspelt keys of a state, which would count as an empty part, and options in it, which would be ignored.
 * @throws PolicyError for a misspelt key; PermissionsError for an option.
 */
export function checkState(state: object, options: readonly string[]): void {
  readPolicyOptions(state, readStateOptions);
  for (const option of options) {
    if (Object.hasOwn(state, option)) throw new PermissionsError(`${option}: is an option, not part of the state`);
  }
}
