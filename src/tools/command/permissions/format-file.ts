import { contentsOf } from '../../../permissions/files/item-differences.js';
import { ownedName } from '../../../permissions/files/item-homes.js';
import {
  type Exported,
  exportPermissions,
  type Permissions,
  type PermissionsState,
} from '../../../permissions/index.js';
import { Ownership } from '../../../permissions/model/ownership.js';

/** The names that a file owns, with those of new items that its patterns do not match; none of a deployment. */
function manageOf(state: PermissionsState, given: PermissionsState & Partial<Pick<Permissions, 'manage'>>): string {
  const { manage } = given;
  if (manage === undefined || Object.values(manage).every((names) => names.length === 0)) return '';
  const ownership = new Ownership(manage);
  const before = contentsOf(given);
  const names = new Map(Object.entries(manage).map(([kind, patterns]) => [kind, new Set(patterns)]));
  for (const [key, { item }] of contentsOf(state)) {
    const [kind, name] = ownedName(item);
    if (!before.has(key) && ownership.isOutside(item)) names.get(kind)?.add(name);
  }
  const all = [...names].map(([kind, patterns]) => [kind, [...patterns]]);
  return `manage: ${JSON.stringify(Object.fromEntries(all))}\n`;
}

/** The comments about users and groups whose bindings an export has. A file knows of no others. */
const knownOwners = /(?:\n# The bindings of [^\n]*)+/;

/** Formats a state as a file that owns what the files own from which another state was read. */
export function formatFile(state: PermissionsState, given: PermissionsState): Pick<Exported, 'text' | 'omitted'> {
  const { text, omitted } = exportPermissions(state);
  const own = 'manage' in given ? text.replace(knownOwners, '') : text;
  return { text: `${own}${manageOf(state, given)}`, omitted };
}
