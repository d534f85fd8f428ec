import type { IssuePath } from '../../base/lib/text/paths.js';
import { ownField } from '../../base/lib/values.js';
import { sortedUnique } from '../../policy/model/normalize.js';
import type { FilePlace } from '../model/permissions-error.js';
import type { ParsedFile } from './yaml.js';

/** An item of a file, with its place. */
export interface Owned {
  readonly parsed: ParsedFile;
  readonly path: IssuePath;
}

const kinds: Readonly<Record<string, string>> = { scopes: 'scope', bindings: 'binding', groupBindings: 'binding' };

/**
 * Converts a path of the state to a path of the file: lists of strings are sorted and unique in a state, but not in a
 * file.
 */
function pathInFile(value: unknown, path: IssuePath): IssuePath {
  const last = path.at(-1);
  const list = path.slice(0, -1).reduce(ownField, value);
  if (typeof last !== 'number' || !Array.isArray(list) || typeof list[0] !== 'string') return path;
  return [...path.slice(0, -1), list.indexOf(sortedUnique(list)[last])];
}

/**
 * Finds the place of an item (by its name, if it has one) or of a part of it. `keys` holds the keys of the bindings of
 * users and of groups, by index.
 */
export function locate(
  owners: ReadonlyMap<string, Owned>,
  keys: Readonly<Record<'bindings' | 'groupBindings', readonly string[]>>,
  [kind = '', key = '', ...rest]: IssuePath,
): FilePlace | undefined {
  const owned = owners.get(
    `${kinds[kind] ?? kind} ${kind === 'bindings' || kind === 'groupBindings' ? keys[kind][Number(key)] : key}`,
  );
  if (owned === undefined) return undefined;
  const { value } = owned.parsed;
  const scope = rest[0] === 'scope' ? [...owned.path, 'scope'].reduce(ownField, value) : undefined;
  if (typeof scope === 'string') return locate(owners, keys, ['scopes', scope, ...rest.slice(1)]);
  const path = pathInFile(value, [...owned.path, ...rest]);
  const { file, line, column } = owned.parsed.issueAt(path, '', rest.length === 0);
  return { file, line, column };
}
