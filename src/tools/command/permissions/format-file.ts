import { contentsOf } from '../../../permissions/files/item-differences.js';
import {
  type Exported,
  exportPermissions,
  type Permissions,
  type PermissionsState,
} from '../../../permissions/index.js';
import { managedKinds, Ownership, patternsOf, toManage } from '../../../permissions/model/ownership.js';

/** The names that a file owns, with those of new items that its patterns do not match; none of a deployment. */
function manageOf(state: PermissionsState, source: PermissionsState & Partial<Pick<Permissions, 'manage'>>): string {
  const { manage } = source;
  if (manage === undefined || managedKinds.every((kind) => patternsOf(manage, kind).length === 0)) return '';
  const before = contentsOf(source);
  const ownership = new Ownership(manage);
  const names = new Map(managedKinds.map((kind) => [kind, new Set(patternsOf(manage, kind))]));
  for (const [key, { item }] of contentsOf(state)) {
    const [kind, name] = (before.has(key) ? undefined : ownership.missingName(item)) ?? [];
    if (kind !== undefined && name !== undefined) names.get(kind)?.add(name);
  }
  return `manage: ${JSON.stringify(toManage((kind) => [...(names.get(kind) ?? [])]))}\n`;
}

/** The comments about users and groups whose bindings an export has. A file knows of no others. */
const knownOwners = /(?:\n# The bindings of [^\n]*)+/;

/** Formats a state as a file that owns what the files own from which another state was read. */
export function formatFile(state: PermissionsState, source: PermissionsState): Pick<Exported, 'text' | 'omitted'> {
  const { text, omitted } = exportPermissions(state);
  const own = 'manage' in source ? text.replace(knownOwners, '') : text;
  return { text: `${own}${manageOf(state, source)}`, omitted };
}
