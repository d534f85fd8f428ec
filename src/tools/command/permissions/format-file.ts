import {
  type Exported,
  exportPermissions,
  type Permissions,
  type PermissionsState,
} from '../../../permissions/index.js';

/** The names that the file owns, so that a plan finds what is not in the new file; none of a deployment. */
function manageOf(state: PermissionsState & Partial<Pick<Permissions, 'manage'>>): string {
  const { manage } = state;
  const isOwner =
    manage !== undefined && Object.values(manage).some((names) => !Array.isArray(names) || names.length > 0);
  return isOwner ? `manage: ${JSON.stringify(manage)}\n` : '';
}

/** The comments about users and groups whose bindings an export has. A file knows of no others. */
const knownOwners = /(?:\n# The bindings of [^\n]*)+/;

/** Formats a state as a file that owns what the files own from which another state was read. */
export function formatFile(state: PermissionsState, given: PermissionsState): Pick<Exported, 'text' | 'omitted'> {
  const { text, omitted } = exportPermissions(state);
  const own = 'manage' in given ? text.replace(knownOwners, '') : text;
  return { text: `${own}${manageOf(given)}`, omitted };
}
