import { InvalidArgumentError } from '../errors.js';
import { Reading, type ReadingIssue } from './reading.js';
import { formatPath } from './text/paths.js';
import { unknownName } from './unknown-name.js';
import { describeKind, describeValue, hasMethod, isObject, loneSurrogate, ownField } from './values.js';

/** A validation issue, with a description that never quotes the value. */
export interface Finding extends ReadingIssue {
  /** Left out if it could reveal a secret, or if the message says enough. */
  readonly got?: string;
}

/**
 * Reads a value: returns a checked copy, or reports issues to `reading`. A missing value is undefined. Arguments,
 * options and the services' answers all go through readers; the caller decides what an issue means.
 */
export type Reader<T, I extends ReadingIssue = Finding> = (value: unknown, reading: Reading<I>) => T;
/** Readers by the name of their field. */
export type Readers = Readonly<Record<string, Reader<unknown>>>;
/**
 * Readers for exactly the fields of an options type: a field that only one of them has does not compile.
 * `test/options.test-d.ts` has a line for each type.
 */
export type ReadersOf<T> = { readonly [Name in keyof T]-?: Reader<unknown> };
type Read<R> = R extends Reader<infer T> ? T : never;
/** The fields of an object, read. */
export type ReadFields<R> = { readonly [Name in keyof R]: Read<R[Name]> };
/** Options, read; those that are missing or undefined are undefined. */
export type ReadOptions<R> = { -readonly [Name in keyof R]?: Read<R[Name]> | undefined };

/** Reads a value and returns it with its issues. `value` counts only if there are none. */
export function readWith<T>(
  value: unknown,
  reader: Reader<T>,
): { readonly value: T; readonly issues: readonly Finding[] } {
  const reading = new Reading<Finding>();
  return { value: reader(value, reading), issues: reading.issues };
}

/** Reads an argument; throws InvalidArgumentError for the first issue, like `policy.statements[0].effect`. */
export const readArgument = <T>(value: unknown, field: string, reader: Reader<T>, above = field): T =>
  readOrRefuse(value, reader, above, (at, problem) => {
    throw new InvalidArgumentError(at || field, problem);
  });

/** Reads a value, or passes the field and the problem of the first issue to `refuse`. */
export function readOrRefuse<T, U>(
  value: unknown,
  reader: Reader<T>,
  above: string,
  refuse: (field: string, problem: string) => U,
): T | U {
  const read = readWith(value, reader);
  for (const { path, message, got } of read.issues) {
    const below = formatPath(path);
    const at = above && below && below[0] !== '[' ? `${above}.${below}` : above + below;
    return refuse(at, got ? `${message}, got ${got}` : message);
  }
  return read.value;
}

/**
 * Reads a call's only argument, or options. Fields go by their bare names; `field` names the whole.
 * @throws InvalidArgumentError for the first issue.
 */
export const readFields = <T>(value: unknown, field: string, reader: Reader<T>): T =>
  readArgument(value, field, reader, '');

/** Creates the error for an argument that is not read by a reader: what is accepted and what came instead. */
export function expected(field: string, accepted: string, got: unknown): InvalidArgumentError {
  return new InvalidArgumentError(field, `expected ${accepted}, got ${describeValue(got)}`);
}

/** Reports what is accepted and what came instead. */
export const refuse = <T>(
  reading: Reading<Finding>,
  accepted: string,
  value: unknown,
  got: string = describeValue(value),
): T => reading.report(`expected ${accepted}`, { got });

/** Refuses a value of another kind. Does not show it even if it is a number, which may be a password. */
export const refuseKind = <T>(reading: Reading<Finding>, accepted: string, value: unknown): T =>
  refuse(reading, accepted, value, describeKind(value));

/** Accepts any value unchanged; it is checked later, or not at all. */
export const asGiven: Reader<unknown> = (value) => value;

/** Accepts a value unchanged if `accepts` returns true for it. */
export const accepting =
  <T>(accepted: string, accepts: (value: unknown) => boolean): Reader<T> =>
  (value, reading) =>
    // The cast: `accepts` has just checked it.
    accepts(value) ? (value as T) : refuse(reading, accepted, value);

/** Accepts a function; its type is not checked. */
export const readFunction: Reader<never> = accepting('a function', (value) => typeof value === 'function');

/** Accepts a whole number within bounds. */
export const wholeNumber = (what: string, least: number, most: number): Reader<number> =>
  accepting(`${what} from ${least} to ${most}`, (value) => Number.isInteger(value) && isWithin(value, least, most));

/** True for a number within bounds. */
export const isWithin = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && value >= least && value <= most;

/** Accepts a value with methods of these names, of any class. */
export const withMethods = <T>(accepted: string, ...names: readonly string[]): Reader<T> =>
  accepting(accepted, (value) => names.every((name) => hasMethod(value, name)));

/** Accepts one of a few strings. */
export const oneOf = <T extends string>(...names: readonly T[]): Reader<T> =>
  accepting(`one of ${names.join(', ')}`, (value) => names.includes(value as T));

/** Also accepts a missing value. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined>;
export function optional<T, D>(reader: Reader<T>, otherwise: D): Reader<T | D>;
export function optional<T>(reader: Reader<T>, otherwise?: T): Reader<T | undefined> {
  return (value, reading) => (value === undefined ? otherwise : reader(value, reading));
}

/** Refuses an explicit undefined where a missing field allows more: the caller may have forgotten to set the value. */
export const withoutUndefined =
  <T>(reader: Reader<T>, name: string): Reader<T> =>
  (value, reading) =>
    isObject(value) && name in value && value[name] === undefined
      ? reading.at(name, 0, () => reading.report('must not be undefined'))
      : reader(value, reading);

/** Converts a value that was read without issues, or reports more of them. */
export const transform =
  <T, U>(reader: Reader<T>, make: (read: T, reading: Reading<Finding>) => U): Reader<U> =>
  (value, reading) => {
    const before = reading.issues.length;
    const read = reader(value, reading);
    // The cast: the result of a failed reading is never used.
    return reading.issues.length === before ? make(read, reading) : (undefined as U);
  };

export const longestList = 10_000;
const noBound = Number.POSITIVE_INFINITY;

/** Accepts text, possibly empty. Lone surrogates are rejected: UTF-8 would replace them. */
const textUpTo =
  (most = noBound): Reader<string> =>
  (value, reading) => {
    if (typeof value !== 'string') return refuseKind(reading, 'a string', value);
    if (value.length > most) return reading.report(`holds more than ${most} characters`);
    return loneSurrogate.test(value) ? reading.report('holds a lone surrogate') : value;
  };

/** Non-empty text. */
export const filled =
  (reader: Reader<string>): Reader<string> =>
  (value, reading) =>
    value === '' ? reading.report('must not be empty') : reader(value, reading);

const longestName = 1_024;
/** The maximum number of characters of a token. */
export const longestToken = 16_384;

/** Text, possibly empty. */
export const readText = textUpTo();
export const readFilledText = filled(readText);
/** The name of a user, a role or a group. */
export const readName = filled(textUpTo(longestName));
export const readToken = filled(textUpTo(longestToken));

export const readFlag = accepting<boolean>('true or false', (value) => typeof value === 'boolean');
export const readObject: Reader<Readonly<Record<string, unknown>>> = (value, reading) =>
  isObject(value) ? value : refuseKind(reading, 'an object', value);

/** A copy of a list, each item read; of any length, unless it has a bound. */
export const listOf =
  <T>(reader: Reader<T>, longest = noBound): Reader<T[]> =>
  (value, reading) => {
    if (!Array.isArray(value)) return refuseKind(reading, 'a list', value);
    if (value.length > longest) return reading.report(`holds more than ${longest} items`);
    return Array.from(value, (item, index) => reading.at(index, item, reader));
  };

/** Reports a name that is not accepted. */
export const refuseName = <I extends ReadingIssue>(reading: Reading<I>, name: string, accepted: readonly string[]) =>
  reading.at(name, 0, () => reading.report(unknownName(name, accepted)));

/** An object with any of these fields and no others. An explicit undefined stays: it can remove an inherited value. */
export const optionsOf =
  <R extends Readers>(readers: R): Reader<ReadOptions<R>> =>
  (value, reading) => {
    if (!isObject(value)) return refuseKind(reading, 'an object', value);
    const fields: Record<string, unknown> = {};
    for (const [name, option] of Object.entries(value)) {
      const reader = Object.hasOwn(readers, name) && readers[name];
      if (!reader) refuseName(reading, name, Object.keys(readers));
      else fields[name] = option === undefined ? option : reading.at(name, option, reader);
    }
    // The cast: each field was made by its reader.
    return fields as ReadOptions<R>;
  };

/** Reads the fields of an object: those that `namesOf` returns, looked up by `find`. Other names are refused. */
const objectOf =
  <R extends Readers>(
    readers: R,
    what = 'an object',
    namesOf: (value: object) => Iterable<string> = () => Object.keys(readers),
    find: (value: object, name: string) => unknown = ownField,
  ): Reader<ReadFields<R>> =>
  (value, reading) => {
    if (!isObject(value)) return refuseKind(reading, what, value);
    const fields: Record<string, unknown> = {};
    for (const name of namesOf(value)) {
      const reader = Object.hasOwn(readers, name) && readers[name];
      if (!reader) refuseName(reading, name, Object.keys(readers));
      else fields[name] = reading.at(name, find(value, name), reader);
    }
    // The cast: each field was made by its reader.
    return fields as ReadFields<R>;
  };

/** An object with these own fields; others are ignored. */
export const fieldsOf: <R extends Readers>(readers: R, what?: string) => Reader<ReadFields<R>> = objectOf;

/**
 * An object with these fields and no others; a field may be missing if its reader allows it. `what` names it when
 * something else is refused.
 */
export const strictObject = <R extends Readers>(readers: R, what?: string): Reader<ReadFields<R>> =>
  objectOf(readers, what, (value) => new Set([...Object.keys(value), ...Object.keys(readers)]));

// The services' answers are read more leniently: a newer service may add fields, and Go leaves out empty ones.

/** Text of any length. */
export const anyText: Reader<string> = (value, reading) =>
  typeof value === 'string' ? value : refuseKind(reading, 'a string', value);
export const anyNumber = accepting<number>('a number', (value) => typeof value === 'number');
/** Text, empty if it is missing. */
export const textOrEmpty = optional(anyText, '');

/** A list of any length, empty if it is missing. */
export const listOrEmpty = <T>(reader: Reader<T>): Reader<T[]> => {
  const list = listOf(reader);
  return (value = [], reading) => list(value, reading);
};

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** An object with camelCase or snake_case field names. `null` counts as missing; unknown fields are ignored. */
export const messageOf = <R extends Readers>(readers: R): Reader<ReadFields<R>> =>
  objectOf(
    readers,
    undefined,
    undefined,
    (value, name) => ownField(value, name) ?? ownField(value, snakeCase(name)) ?? undefined,
  );
