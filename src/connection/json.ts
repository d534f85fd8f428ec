import { InvalidArgumentError } from '../errors.js';
import { describeValue, hasMethod } from '../lib/values.js';

/** A text as JSON. Most hold nothing to escape; to know it at once shows in the cost of a call. */
const quote = (text: string) => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * The JSON text of a value, made in one pass: what was checked is what is sent, and each getter and `toJSON` of the
 * caller runs once. As with `JSON.stringify`, fields that are undefined, symbol keys and named properties of arrays
 * are left out, and `-0` is `0`.
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
    // The common kinds first: this runs for each value of each body.
    if (typeof given === 'string') return quote(given);
    if (typeof given === 'boolean' || Number.isFinite(given)) return String(given);
    const isChild = typeof given === 'object' || typeof given === 'bigint';
    const plain =
      isChild && hasMethod(given, 'toJSON')
        ? (given as { toJSON(key: string): unknown }).toJSON(String(path.at(-1) ?? ''))
        : given;
    if (isChild && plain !== given && typeof plain !== 'object') return write(plain);
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
    let parts = '';
    for (let index = 0; index < list.length; index++) {
      path.push(index);
      const text = write(list[index]);
      // It would be sent as null.
      if (text === undefined) throw refuse('undefined');
      parts += parts === '' ? text : `,${text}`;
      path.pop();
    }
    return `[${parts}]`;
  };

  const writeFields = (object: object): string => {
    // Map, Set, Promise, RegExp, typed arrays, Blob: their content is not in their properties, whatever they call
    // themselves.
    const isPlain =
      Object.getPrototypeOf(object) === Object.prototype ||
      Object.prototype.toString.call(object) === '[object Object]';
    if (!isPlain || Symbol.iterator in object) {
      throw refuse(describeValue(object));
    }
    let parts = '';
    for (const name of Object.keys(object)) {
      path.push(name);
      const text = write((object as Readonly<Record<string, unknown>>)[name]);
      if (text !== undefined) parts += `${parts === '' ? '' : ','}${quote(name)}:${text}`;
      path.pop();
    }
    return `{${parts}}`;
  };

  const text = write(value);
  if (text === undefined) throw refuse('undefined');
  return text;
}
