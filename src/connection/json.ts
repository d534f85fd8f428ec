import { InvalidArgumentError } from '../errors.js';
import { formatPath } from '../lib/reading.js';
import { describeValue, hasMethod } from '../lib/values.js';

/**
 * The JSON text of a value, made of a copy that one pass takes: what was checked is what is sent, and each getter and
 * `toJSON` of the caller runs once. As with `JSON.stringify`, fields that are undefined, symbol keys and named
 * properties of arrays are left out, and `-0` is `0`.
 * @throws InvalidArgumentError with the path of what JSON would drop, change in silence or never end.
 */
export function encodeJson(value: unknown): string {
  const path: (string | number)[] = [];
  const ancestors = new Set<object>();

  const refuse = (what: string) =>
    new InvalidArgumentError(formatPath(['body', ...path]), `${what} cannot be sent as JSON without loss`);

  /** undefined for what is left out. */
  const copy = (given: unknown): unknown => {
    // The common kinds first: this runs for each value of each body.
    if (typeof given === 'string' || typeof given === 'boolean' || Number.isFinite(given)) return given;
    const isChild = typeof given === 'object' || typeof given === 'bigint';
    const plain =
      isChild && hasMethod(given, 'toJSON')
        ? (given as { toJSON(key: string): unknown }).toJSON(String(path.at(-1) ?? ''))
        : given;
    if (isChild && plain !== given && typeof plain !== 'object') return copy(plain);
    if (plain === undefined) return undefined;
    if (plain === null) {
      // An invalid Date would be sent as null.
      if (given instanceof Date) throw refuse(describeValue(given));
      return null;
    }
    if (typeof plain !== 'object') throw refuse(describeValue(plain));
    if (ancestors.has(plain)) throw refuse('a cyclic value');
    ancestors.add(plain);
    const all = Array.isArray(plain) ? copyList(plain) : copyFields(plain);
    ancestors.delete(plain);
    return all;
  };

  const copyList = (list: readonly unknown[]): unknown[] => {
    const all: unknown[] = [];
    for (let index = 0; index < list.length; index++) {
      path.push(index);
      const one = copy(list[index]);
      // It would be sent as null.
      if (one === undefined) throw refuse('undefined');
      all.push(one);
      path.pop();
    }
    return all;
  };

  const copyFields = (object: object): object => {
    // Map, Set, Promise, RegExp, typed arrays, Blob: their content is not in their properties, whatever they call
    // themselves.
    const isPlain =
      Object.getPrototypeOf(object) === Object.prototype ||
      Object.prototype.toString.call(object) === '[object Object]';
    if (!isPlain || Symbol.iterator in object) {
      throw refuse(describeValue(object));
    }
    const all: Record<string, unknown> = {};
    for (const name of Object.keys(object)) {
      path.push(name);
      const one = copy((object as Readonly<Record<string, unknown>>)[name]);
      if (name === '__proto__') Object.defineProperty(all, name, { value: one, enumerable: true });
      else all[name] = one;
      path.pop();
    }
    return all;
  };

  const all = copy(value);
  if (all === undefined) throw refuse('undefined');
  return JSON.stringify(all);
}
