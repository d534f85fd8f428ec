import { type OptionReader, readOptions } from '../connection/options.js';
import { encodeSegment } from '../connection/url.js';
import { InvalidArgumentError } from '../errors.js';
import { expected } from '../lib/readers.js';

/** Reads one argument, or one field of an answer; undefined where it is missing. @throws InvalidArgumentError naming `field`. */
export type Reader<T> = (value: unknown, field: string) => T;
export type Readers = Readonly<Record<string, OptionReader>>;
export type Read<R> = { readonly [K in keyof R]: R[K] extends (value: never, field: never) => infer T ? T : never };

/** A reader of values that are taken as they are. It throws InvalidArgumentError, which says what is accepted. */
export const accepting =
  <T>(accepted: string, accepts: (value: unknown) => boolean): Reader<T> =>
  (value, field) => {
    // The cast: `accepts` has just looked at it.
    if (accepts(value)) return value as T;
    throw expected(field, accepted, value);
  };

const longestText = 4_096;
const longestName = 1_024;
export const longestToken = 16_384;
const longestList = 10_000;

/** Text of a length without what `refused` finds; by default lone surrogates: on the wire they would become another text. */
export const textOf =
  (least: number, most: number, refused = /\p{Surrogate}/u, what = 'without lone surrogates'): Reader<string> =>
  (value, field) => {
    const isText = typeof value === 'string';
    if (isText && value.length >= least && value.length <= most && !refused.test(value)) return value;
    // Never the value, not a number's either: it may be a password.
    const got = isText ? value.length : typeof value;
    throw new InvalidArgumentError(field, `expected text of ${least} to ${most} characters ${what}, got ${got}`);
  };

/** Text that may be empty. */
export const readText = textOf(0, longestText);
export const readFilledText = textOf(1, longestText);
/** The name of a user, a role or a group. */
export const readName = textOf(1, longestName);
export const readToken = textOf(1, longestToken);

export const readFlag = accepting<boolean>('true or false', (value) => typeof value === 'boolean');
export const readObject = accepting<object>(
  'an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** A name as a path segment; the services refuse a `/` in any spelling. */
export const readSegment: Reader<string> = (value, field) => {
  const name = readName(value, field);
  if (name.includes('/')) throw new InvalidArgumentError(field, 'must not hold a "/": the service answers 404 to it');
  return encodeSegment(name, field);
};

/** What may be missing. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined>;
export function optional<T, D>(reader: Reader<T>, otherwise: D): Reader<T | D>;
export function optional<T>(reader: Reader<T>, otherwise?: T): Reader<T | undefined> {
  return (value, field) => (value === undefined ? otherwise : reader(value, field));
}

/** A copy of a list, each item read. */
export const listOf =
  <T>(reader: Reader<T>, longest = longestList): Reader<T[]> =>
  (value, field) => {
    if (!Array.isArray(value) || value.length > longest) {
      throw expected(field, `an array of at most ${longest} items`, value);
    }
    return Array.from(value, (item, index) => reader(item, `${field}[${index}]`));
  };

/** An object with these fields and no others. Those of `request`, a call's only argument, go by their bare names. */
export const record =
  <R extends Readers>(readers: R): Reader<Read<R>> =>
  (value, field) => {
    const prefix = field === 'request' ? '' : `${field}.`;
    const fields: Record<string, unknown> = readOptions(value, readers, field, prefix);
    for (const [name, reader] of Object.entries(readers)) {
      if (fields[name] === undefined) fields[name] = reader(undefined, prefix + name);
    }
    return fields as Read<R>;
  };
