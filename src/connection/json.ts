import { InvalidArgumentError } from '../errors.js';
import { formatPath, type Path } from '../lib/reading.js';
import { describeValue, hasMethod } from '../lib/values.js';

/** A part of a value that JSON would drop, change silently or never end with. */
export class NotJson {
  readonly path: Path;
  readonly problem: string;

  constructor(path: Path, problem: string) {
    this.path = path;
    this.problem = problem;
  }
}

/**
 * Copies a value as JSON carries it, in one pass: the copy is what was checked, and each getter and `toJSON` of the
 * caller runs once. As with `JSON.stringify`, fields that are undefined, symbol keys and named properties of arrays are
 * left out.
 * @param deepest the number of levels that are accepted.
 * @throws NotJson for anything that JSON cannot carry.
 */
export function copyJson(value: unknown, deepest = Number.POSITIVE_INFINITY): unknown {
  const path: (string | number)[] = [];
  const ancestors = new Set<object>();

  const refuse = (what: string) => new NotJson([...path], `${what} cannot be sent as JSON without loss`);

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
    if (ancestors.size >= deepest) throw new NotJson([], `is nested deeper than ${deepest} levels`);
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

  try {
    const all = copy(value);
    if (all === undefined) throw refuse('undefined');
    return all;
  } catch (error) {
    throw error instanceof NotJson ? error : unreadable(error);
  }
}

/** The message of a `toJSON` or a getter that threw may quote the value. A RangeError is a stack that overflowed. */
const unreadable = (error: unknown): NotJson =>
  new NotJson(
    [],
    `cannot be encoded as JSON: ${error instanceof RangeError ? 'it is nested too deeply' : 'reading it threw'}`,
  );

/**
 * The JSON text of a body. `-0` is `0`, as with `JSON.stringify`.
 * @throws InvalidArgumentError with the path of anything that JSON cannot carry.
 */
export function encodeJson(value: unknown): string {
  try {
    return JSON.stringify(copyJson(value));
  } catch (error) {
    const { path, problem } = error instanceof NotJson ? error : unreadable(error);
    throw new InvalidArgumentError(formatPath(['body', ...path]), problem);
  }
}
