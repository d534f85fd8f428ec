import { toText } from '../format/file-text.js';
import { bindingKey } from '../model/binding-key.js';
import { Ownership } from '../model/ownership.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { allBindings, bindingItem, type ItemName, sections } from '../model/plan-change.js';
import { findWritable, type Omitted } from '../model/writable.js';
import { contentOf } from './file-content.js';
import { checkArguments } from './read-file.js';
import { type ReadPermissionsOptions, readPermissions, readPermissionsOptions } from './read-permissions.js';

/** The text of a file with items of a deployment added. */
export interface Adopted {
  /** The whole text; unchanged if no item was added. */
  readonly text: string;
  readonly added: readonly ItemName[];
  /** Items that a file cannot hold, or that the platform or its operator manages. */
  readonly omitted: readonly Omitted[];
  /** The users whose bindings were considered. */
  readonly users: readonly string[] | 'all';
}

/**
 * Adds those items of a deployment to a file that the files neither define nor own by `manage`. The existing text does
 * not change, including comments, order, anchors and format; included files are not written. A binding refers to a
 * named scope of the files that has the same content.
 *
 * @throws PermissionsError (code `PERMISSIONS`) for files that are not valid, for a file of custom resources, and for
 *   a section that is an alias.
 *
 * @example
 * ```ts
 * import { adoptPermissions, readState } from 'arango-services/permissions';
 *
 * const files = new Map([['permissions.yaml', 'policies: { reader: { statements: [] } }']]);
 * const current = await readState(client, { users: ['alice'] });
 * const { text, added } = await adoptPermissions('permissions.yaml', current, {
 *   read: (file) => files.get(file) ?? '',
 * });
 * console.log(text, added.length);
 * ```
 */
export async function adoptPermissions(
  file: string,
  state: PermissionsState,
  options: ReadPermissionsOptions,
): Promise<Adopted> {
  checkArguments(file, options, readPermissionsOptions);
  let first: string | Uint8Array | undefined;
  const read = async (name: string) => {
    const content = await options.read(name);
    first ??= content;
    return content;
  };
  const files = await readPermissions(file, { ...options, read });
  const text = toText(first ?? '') ?? '';
  const manage = new Ownership(files.manage);
  const bound = new Set(allBindings(files).map(bindingKey));
  const isWanted = (item: ItemName): boolean => {
    if (manage.owns(item)) return false;
    if (item.kind === 'binding') return !bound.has(bindingKey(item));
    return !files[sections[item.kind]].has(item.name);
  };
  const writable = findWritable(state, isWanted, (name) => files.policies.has(name));
  const { policies, roles, bindings, omitted } = writable;
  const added: ItemName[] = [
    ...policies.map(([name]) => ({ kind: 'policy', name }) as const),
    ...roles.map(([name]) => ({ kind: 'role', name }) as const),
    ...bindings.map(bindingItem),
  ];
  const { users } = state;
  if (added.length === 0) return { text, added, omitted, users };
  const { addToFile } = await import('./add-to-file.js');
  return { text: addToFile(file, text, contentOf(writable, files.scopes)), added, omitted, users };
}
