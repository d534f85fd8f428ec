import { type OptionReader, type ReadOptions, readOptions } from './connection/options.js';
import { encodeSegment } from './connection/url.js';
import { expected, InvalidArgumentError } from './errors.js';

/** Reads one argument. It refuses undefined. @throws InvalidArgumentError naming `field`. */
export type Reader<T> = (value: unknown, field: string) => T;
export type Readers = Readonly<Record<string, OptionReader>>;
export type Read<R> = { readonly [K in keyof R]: R[K] extends (value: never, field: never) => infer T ? T : never };

const longestText = 4_096;
const longestName = 1_024;
const longestToken = 16_384;
const longestList = 10_000;

/** Text of a length. A lone surrogate is refused: on the wire it would become another text. */
const textOf =
  (least: number, most: number): Reader<string> =>
  (value, field) => {
    const accepted = `text of ${least} to ${most} characters`;
    if (typeof value !== 'string' || value.length < least) throw expected(field, accepted, value);
    if (value.length > most) throw new InvalidArgumentError(field, `expected ${accepted}, got ${value.length}`);
    if (/\p{Surrogate}/u.test(value)) throw new InvalidArgumentError(field, 'holds a lone surrogate');
    return value;
  };

/** Text that may be empty. */
export const readText = textOf(0, longestText);
export const readFilledText = textOf(1, longestText);
/** The name of a user, a role or a group. */
export const readName = textOf(1, longestName);
export const readToken = textOf(1, longestToken);

export const readFlag: Reader<boolean> = (value, field) => {
  if (typeof value === 'boolean') return value;
  throw expected(field, 'true or false', value);
};

/** A name as a path segment; the services refuse a `/` in any spelling. */
export const readSegment: Reader<string> = (value, field) => {
  const name = readName(value, field);
  if (name.includes('/')) throw new InvalidArgumentError(field, 'must not hold a "/": the service answers 404 to it');
  return encodeSegment(name, field);
};

/** A copy of a list, each item read. */
export const listOf =
  <T>(reader: Reader<T>): Reader<T[]> =>
  (value, field) => {
    if (!Array.isArray(value) || value.length > longestList) {
      throw expected(field, `an array of at most ${longestList} items`, value);
    }
    return Array.from(value, (item, index) => reader(item, `${field}[${index}]`));
  };

/** Reads an object called `field`, whose own fields are `${prefix}name`; those of `required` must be there. */
export function readFields<R extends Readers, O extends Readers>(
  value: unknown,
  field: string,
  required: R,
  optional: O,
  prefix = '',
): Read<R> & ReadOptions<O> {
  const fields: Record<string, unknown> = readOptions(value, { ...required, ...optional }, field, prefix);
  for (const [name, reader] of Object.entries(required))
    if (fields[name] === undefined) reader(undefined, prefix + name);
  return fields as Read<R> & ReadOptions<O>;
}
