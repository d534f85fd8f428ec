import type { IssuePath } from '../../base/lib/text/paths.js';
import { describeValue, hasMethod, holdsFields } from '../../base/lib/values.js';

/**
 * Copies a value as JSON represents it, in one pass: the copy is exactly what was validated, and each getter and
 * `toJSON` of the caller runs once. Like `JSON.stringify`, omits undefined fields, symbol keys and named properties of
 * arrays.
 * @param report called with the path and the problem of each part that JSON would drop, silently change or never
 * finish. If it returns, the copy must not be used.
 * @param deepest the maximum number of levels. Default: as many as the stack allows.
 */
export function copyJson(
  value: unknown,
  report: (path: IssuePath, problem: string) => void,
  deepest?: number,
): unknown {
  const path: (string | number)[] = [];
  const ancestors = new Set<object>();

  const refuse = (what: string): undefined => void report([...path], `${what} cannot be sent as JSON without loss`);

  /** Returns undefined for omitted values. */
  const copy = (value: unknown): unknown => {
    // The common kinds first: this runs for each value of each body.
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
    // Of other types, `JSON.stringify` does not look for `toJSON`, or refuses the value below.
    const mayConvert = typeof value === 'object' || typeof value === 'bigint';
    const plain =
      mayConvert && hasMethod(value, 'toJSON')
        ? (value as { toJSON(key: string): unknown }).toJSON(String(path.at(-1) ?? ''))
        : value;
    if (mayConvert && plain !== value && typeof plain !== 'object') return copy(plain);
    if (plain === undefined) return undefined;
    if (plain === null) {
      // JSON would send an invalid Date as null.
      return value instanceof Date ? refuse('an invalid Date') : null;
    }
    if (typeof plain !== 'object') return refuse(describeValue(plain));
    if (ancestors.has(plain)) return refuse('a cyclic value');
    if (ancestors.size === deepest) return void report([], `has more than ${deepest} levels`);
    ancestors.add(plain);
    const all = Array.isArray(plain) ? copyList(plain) : copyFields(plain);
    ancestors.delete(plain);
    return all;
  };

  const copyList = (list: readonly unknown[]): unknown[] => {
    const all: unknown[] = [];
    for (let index = 0; index < list.length; index++) {
      path.push(index);
      const item = copy(list[index]);
      // JSON would send undefined as null.
      if (item === undefined) refuse('undefined');
      all.push(item);
      path.pop();
    }
    return all;
  };

  const copyFields = (object: object): object | undefined => {
    if (!holdsFields(object)) return refuse(describeValue(object));
    const all: Record<string, unknown> = {};
    for (const name of Object.keys(object)) {
      path.push(name);
      const field = copy((object as Readonly<Record<string, unknown>>)[name]);
      path.pop();
      if (field === undefined) continue;
      if (name === '__proto__') Object.defineProperty(all, name, { value: field, enumerable: true });
      else all[name] = field;
    }
    return all;
  };

  const all = copy(value);
  return all === undefined ? refuse('undefined') : all;
}
