import { stableJson } from '../../../base/lib/stable-json.js';
import { isObject, isTexts } from '../../../base/lib/values.js';
import { formatConfigPath } from '../../../mock/config/issues.js';
import type { UsageProblem } from '../shared/usage-error.js';

/** A seed file, and its content. */
interface SeedFile {
  readonly file: string;
  readonly value: unknown;
}

/** The seed files as one configuration, with the file of each part. */
export interface MergedSeeds {
  readonly value: unknown;
  readonly problems: readonly UsageProblem[];
  /** Names the file of a path of the value, and the path in it. */
  locate(path: readonly PropertyKey[]): string;
}

type SeedPath = readonly (string | number)[];

/** The fields whose values have names: an item is defined by one file, or alike by several. */
const named: ReadonlySet<string> = new Set(['policies', 'roles', 'services']);

/** The names of the items of lists. */
const keyOfItem: Readonly<Record<string, (item: Readonly<Record<string, unknown>>) => readonly unknown[]>> = {
  users: ({ name }) => [name],
  bindings: ({ user, role }) => [user, role],
  groupBindings: ({ group, role }) => [group, role],
  routes: ({ method = '*', path }) => [String(method).toUpperCase(), path],
};

/** The same text for policies, roles and bindings that files of permissions and configurations write differently. */
const canonical = (value: unknown): unknown => {
  if (isTexts(value)) return [...new Set(value)].sort();
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined && field !== '');
  return Object.fromEntries(fields.map(([name, part]) => [name, canonical(part)]));
};

const isSame = (path: SeedPath, a: unknown, b: unknown): boolean => {
  const isPermission = ['policies', 'roles', 'bindings', 'groupBindings'].includes(String(path[0]));
  const textOf = (value: unknown): string => stableJson(isPermission ? canonical(value) : value);
  return textOf(a) === textOf(b);
};

/** Merges seed files, one after the other. */
class Merge {
  readonly problems: UsageProblem[] = [];
  /** The place in a file of each item of a list, by its path in the result. */
  readonly #places = new Map<string, { readonly file: string; readonly path: SeedPath }>();
  /** The file that defined a value first, by its path in the result. */
  readonly #files = new Map<string, string>();

  /** Adds a value of a file to the one before it. */
  add(before: unknown, value: unknown, path: SeedPath, file: string): unknown {
    if (before === undefined) return this.#take(value, path, file);
    const [field] = path;
    if (Array.isArray(before) && Array.isArray(value)) return this.#addItems(before, value, path, file);
    const isItem = path.length === 2 && named.has(String(field));
    if (!isItem && isObject(before) && isObject(value) && !Array.isArray(before) && !Array.isArray(value)) {
      const fields = Object.entries(value).map(([name, part]) => {
        const partBefore = Object.hasOwn(before, name) ? before[name] : undefined;
        return [name, this.add(partBefore, part, [...path, name], file)] as const;
      });
      return Object.fromEntries([...Object.entries(before), ...fields]);
    }
    if (!isSame(path, before, value)) this.#refuse(path, path, file);
    return before;
  }

  /** The file and path of a value of the result. */
  locate(path: SeedPath): string {
    for (let length = path.length; length >= 0; length--) {
      const key = stableJson(path.slice(0, length));
      const place = this.#places.get(key);
      if (place !== undefined) return `${place.file}: ${formatConfigPath([...place.path, ...path.slice(length)])}`;
      const file = this.#files.get(key);
      if (file !== undefined) return `${file}: ${formatConfigPath(path)}`;
    }
    return formatConfigPath(path);
  }

  #take(value: unknown, path: SeedPath, file: string): unknown {
    this.#files.set(stableJson(path), file);
    if (Array.isArray(value)) return this.#addItems([], value, path, file);
    if (!isObject(value)) return value;
    const fields = Object.entries(value).map(([name, raw]) => [name, this.#take(raw, [...path, name], file)] as const);
    return Object.fromEntries(fields);
  }

  /** Adds the items of a list that the files before do not have. */
  #addItems(before: readonly unknown[], items: readonly unknown[], path: SeedPath, file: string): unknown[] {
    const keyOf = path.length === 1 ? keyOfItem[String(path[0])] : undefined;
    const nameOf = (item: unknown): string => stableJson(keyOf && isObject(item) ? keyOf(item) : item);
    const indexes = new Map(before.map((item, i) => [nameOf(item), i]));
    const all = [...before];
    for (const [i, item] of items.entries()) {
      const index = indexes.get(nameOf(item));
      // Equal items of one file are left to the check of the configuration.
      if (index === undefined) {
        this.#places.set(stableJson([...path, all.length]), { file, path: [...path, i] });
        all.push(item);
      } else if (!isSame(path, all[index], item)) this.#refuse([...path, index], [...path, i], file);
    }
    return all;
  }

  #refuse(pathBefore: SeedPath, path: SeedPath, file: string): void {
    const where = `${file}: ${formatConfigPath(path)}`;
    this.problems.push({ where, message: `is defined differently in ${this.locate(pathBefore)}` });
  }
}

/** Merges seed files. Two may define an item or a value only if they define it alike. */
export function mergeSeeds(seeds: readonly SeedFile[]): MergedSeeds {
  const merge = new Merge();
  const [only] = seeds;
  let value: unknown = {};
  if (only === undefined) return { value, problems: [], locate: (path) => `configuration: ${formatConfigPath(path)}` };
  if (seeds.length === 1) {
    return { value: only.value, problems: [], locate: (path) => `${only.file}: ${formatConfigPath(path)}` };
  }
  for (const { file, value: content } of seeds) {
    if (!isObject(content)) {
      merge.problems.push({ where: file, message: 'expected an object' });
      continue;
    }
    // The schema of an editor is not a part of the configuration.
    const { $schema: _, ...fields } = content;
    value = merge.add(value, fields, [], file);
  }
  return {
    value,
    problems: merge.problems,
    // The cast: the paths of a configuration have names and indexes.
    locate: (path) => merge.locate(path as SeedPath),
  };
}
