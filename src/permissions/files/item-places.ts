import type { ParsedFile } from '../format/yaml.js';
import { bindingKey } from '../model/binding-key.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { itemKey } from '../model/plan-change.js';

/** The place of an item: its file, the section, and its name or index there. */
interface ItemPlace {
  readonly file: ParsedFile;
  readonly section: string;
  readonly key: string | number;
}

const kinds = { policies: 'policy', roles: 'role' } as const;

/** Finds the places of all items of files, by their keys. */
export function placesOf(files: readonly ParsedFile[]): ReadonlyMap<string, ItemPlace> {
  const places = new Map<string, ItemPlace>();
  for (const file of files) {
    // The casts: the file was checked. All fields may be missing.
    const content = (file.value ?? {}) as Readonly<Record<string, object | undefined>>;
    for (const section of ['policies', 'roles'] as const) {
      for (const name of Object.keys(content[section] ?? {})) {
        places.set(itemKey({ kind: kinds[section], name }), { file, section, key: name });
      }
    }
    for (const section of ['bindings', 'groupBindings'] as const) {
      const bindings = (content[section] ?? []) as PermissionsState['bindings'];
      for (const [key, one] of bindings.entries()) places.set(`binding ${bindingKey(one)}`, { file, section, key });
    }
  }
  return places;
}
