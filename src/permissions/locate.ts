import type { Path } from '../lib/reading.js';
import type { Place } from './error.js';
import type { ParsedFile } from './yaml.js';

/** An item of a file. */
export interface Owned {
  readonly parsed: ParsedFile;
  readonly path: Path;
}

const kinds: Readonly<Record<string, string>> = { scopes: 'scope', bindings: 'binding' };

const fieldOf = (value: unknown, key: string | number): unknown =>
  // The cast: the object has the key.
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string | number, unknown>>)[key]
    : undefined;

/** Finds the place of an item or of a part of it; `bindings` has the keys of the bindings, by index. */
export function locate(
  owners: ReadonlyMap<string, Owned>,
  bindings: readonly string[],
  [kind = '', key = '', ...rest]: Path,
): Place | undefined {
  const owned = owners.get(`${kinds[kind] ?? kind} ${kind === 'bindings' ? bindings[Number(key)] : key}`);
  if (owned === undefined) return undefined;
  const scope = rest[0] === 'scope' ? [...owned.path, 'scope'].reduce(fieldOf, owned.parsed.value) : undefined;
  if (typeof scope === 'string') return locate(owners, bindings, ['scopes', scope, ...rest.slice(1)]);
  const { file, line, column } = owned.parsed.issueAt([...owned.path, ...rest], '');
  return { file, line, column };
}
