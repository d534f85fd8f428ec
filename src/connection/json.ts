import { InvalidArgumentError } from '../errors.js';
import { describeValue, hasMethod } from '../lib/values.js';

/**
 * The JSON text of a value, made in one pass: what was checked is what is sent, and each getter and `toJSON` of the caller runs once.
 * As with `JSON.stringify`, fields that are undefined, symbol keys and named properties of arrays are left out, and `-0` is `0`.
 * @throws InvalidArgumentError with the path of what JSON would drop, change in silence or never end.
 */
export function encodeJson(value: unknown): string {
  const path: (string | number)[] = [];
  const ancestors = new Set<object>();

  const refuse = (what: string): InvalidArgumentError => {
    const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    return new InvalidArgumentError(`body${place}`, `${what} cannot be sent as JSON without loss`);
  };

  /** undefined for what is left out. */
  const write = (given: unknown): string | undefined => {
    const isChild = typeof given === 'object' || typeof given === 'bigint';
    const plain =
      isChild && hasMethod(given, 'toJSON')
        ? (given as { toJSON(key: string): unknown }).toJSON(String(path.at(-1) ?? ''))
        : given;
    if (typeof plain === 'string') return JSON.stringify(plain);
    if (typeof plain === 'boolean' || Number.isFinite(plain)) return JSON.stringify(plain);
    if (plain === undefined) return undefined;
    if (plain === null) {
      // An invalid Date would be sent as null.
      if (given instanceof Date) throw refuse(describeValue(given));
      return 'null';
    }
    if (typeof plain !== 'object') throw refuse(describeValue(plain));
    if (ancestors.has(plain)) throw refuse('a cyclic value');
    ancestors.add(plain);
    const text = Array.isArray(plain) ? writeList(plain) : writeFields(plain);
    ancestors.delete(plain);
    return text;
  };

  const writeList = (list: readonly unknown[]): string => {
    const parts: string[] = [];
    for (let index = 0; index < list.length; index++) {
      path.push(index);
      const text = write(list[index]);
      // It would be sent as null.
      if (text === undefined) throw refuse('undefined');
      parts.push(text);
      path.pop();
    }
    return `[${parts.join(',')}]`;
  };

  const writeFields = (object: object): string => {
    // Map, Set, Promise, RegExp, typed arrays, Blob: their content is not in their properties, whatever they call themselves.
    if (Object.prototype.toString.call(object) !== '[object Object]' || Symbol.iterator in object) {
      throw refuse(describeValue(object));
    }
    const parts: string[] = [];
    for (const name of Object.keys(object)) {
      path.push(name);
      const text = write((object as Readonly<Record<string, unknown>>)[name]);
      if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
      path.pop();
    }
    return `{${parts.join(',')}}`;
  };

  const text = write(value);
  if (text === undefined) throw refuse('undefined');
  return text;
}
