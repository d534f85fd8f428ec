import { contentsOf } from '../../../permissions/files/item-differences.js';
import { missingName } from '../../../permissions/files/item-homes.js';
import {
  type Exported,
  exportPermissions,
  type Permissions,
  type PermissionsState,
} from '../../../permissions/index.js';
import { patternsOf } from '../../../permissions/model/ownership.js';

const kinds = ['policies', 'roles', 'users', 'groups', 'bindings'] as const;

/** The names that a file owns, with those of new items that its patterns do not match; none of a deployment. */
function manageOf(state: PermissionsState, source: PermissionsState & Partial<Pick<Permissions, 'manage'>>): string {
  const { manage } = source;
  if (manage === undefined || kinds.every((kind) => patternsOf(manage, kind).length === 0)) return '';
  const before = contentsOf(source);
  const names = new Map(kinds.map((kind) => [kind, new Set(patternsOf(manage, kind))]));
  for (const [key, { item }] of contentsOf(state)) {
    const [kind, name] = (before.has(key) ? undefined : missingName(manage, item)) ?? [];
    if (kind !== undefined && name !== undefined) names.get(kind)?.add(name);
  }
  const listed = kinds.flatMap((kind) => {
    const patterns = [...(names.get(kind) ?? [])];
    if (patterns.length === 0 && (kind === 'groups' || kind === 'bindings')) return [];
    return [[kind, kind === 'bindings' ? { roles: patterns } : patterns] as const];
  });
  return `manage: ${JSON.stringify(Object.fromEntries(listed))}\n`;
}

/** The comments about users and groups whose bindings an export has. A file knows of no others. */
const knownOwners = /(?:\n# The bindings of [^\n]*)+/;

/** Formats a state as a file that owns what the files own from which another state was read. */
export function formatFile(state: PermissionsState, source: PermissionsState): Pick<Exported, 'text' | 'omitted'> {
  const { text, omitted } = exportPermissions(state);
  const own = 'manage' in source ? text.replace(knownOwners, '') : text;
  return { text: `${own}${manageOf(state, source)}`, omitted };
}
