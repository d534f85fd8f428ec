import { InvalidArgumentError } from '../errors.js';
import { formatPath, Reading, type ReadingIssue } from './reading.js';
import { describeKind, describeValue, hasMethod, isObject, loneSurrogate } from './values.js';

/** A fault, and what stood there in words that quote no text of it. */
interface Finding extends ReadingIssue {
  /** Left out where it could tell something secret, or where the message says enough. */
  readonly got?: string;
}

/**
 * Reads a value: gives a checked copy of it, or reports to `reading` what is wrong. undefined stands for what is
 * missing. Arguments, options and the services' answers are all read by readers; what comes of the issues is for the
 * caller to decide.
 */
export type Reader<T> = (value: unknown, reading: Reading<Finding>) => T;
/** Readers by the name of the field that each reads. */
export type Readers = Readonly<Record<string, Reader<unknown>>>;
/** What a reader reads. */
type Read<R> = R extends Reader<infer T> ? T : never;
/** What the fields of an object become. */
export type ReadFields<R> = { readonly [Name in keyof R]: Read<R[Name]> };
/** What options become; those that were not given, or given as undefined, are undefined. */
export type ReadOptions<R> = { -readonly [Name in keyof R]?: Read<R[Name]> | undefined };

/** Reads a value with what is wrong with it; without issues, `value` is what the reader made. */
export function readWith<T>(
  value: unknown,
  reader: Reader<T>,
): { readonly value: T; readonly issues: readonly Finding[] } {
  const reading = new Reading<Finding>();
  return { value: reader(value, reading), issues: reading.issues };
}

/**
 * Reads an argument, whose fields are named below it: `policy.statements[0].effect`.
 * @throws InvalidArgumentError for the first issue.
 */
export function readArgument<T>(value: unknown, field: string, reader: Reader<T>): T {
  return settle(readWith(value, reader), field, field);
}

/**
 * Reads a call's only argument, or options: their fields go by their bare names, the whole is called `field`.
 * @throws InvalidArgumentError for the first issue.
 */
export function readFields<T>(value: unknown, field: string, reader: Reader<T>): T {
  return settle(readWith(value, reader), '', field);
}

function settle<T>({ value, issues: [first] }: ReturnType<typeof readWith<T>>, above: string, whole: string): T {
  if (first === undefined) return value;
  const { path, message, got } = first;
  const below = formatPath(path);
  const field = above && below && !below.startsWith('[') ? `${above}.${below}` : above + below;
  throw new InvalidArgumentError(field || whole, got === undefined ? message : `${message}, got ${got}`);
}

/** The refusal of an argument that is no reader's: what is accepted and what came instead. */
export function expected(field: string, accepted: string, got: unknown): InvalidArgumentError {
  return new InvalidArgumentError(field, `expected ${accepted}, got ${describeValue(got)}`);
}

/** Reports what is accepted and what came instead. */
export const refuse = (reading: Reading<Finding>, accepted: string, value: unknown): never =>
  reading.report(`expected ${accepted}`, { got: describeValue(value) });

/** Takes any value as it is: what it may be is looked at later, or it does not matter. */
export const asGiven: Reader<unknown> = (value) => value;

/** Takes values as they are, which `accepts` has looked at. */
export const accepting =
  <T>(accepted: string, accepts: (value: unknown) => boolean): Reader<T> =>
  (value, reading) =>
    // The cast: `accepts` has just looked at it.
    accepts(value) ? (value as T) : refuse(reading, accepted, value);

/** Takes a whole number within bounds. */
export const wholeNumber = (what: string, least: number, most: number): Reader<number> =>
  accepting(`${what} from ${least} to ${most}`, (value) => Number.isInteger(value) && isWithin(value, least, most));

/** Whether a value is a number within bounds. */
export const isWithin = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && value >= least && value <= most;

/** Takes what has methods of these names, whatever its class. */
export const withMethods = <T>(accepted: string, ...names: readonly string[]): Reader<T> =>
  accepting(accepted, (value) => names.every((name) => hasMethod(value, name)));

/** Takes one of a few texts. */
export const oneOf = <T extends string>(...names: readonly T[]): Reader<T> =>
  accepting(`one of ${names.join(', ')}`, (value) => names.includes(value as T));

/** What may be missing. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined>;
export function optional<T, D>(reader: Reader<T>, otherwise: D): Reader<T | D>;
export function optional<T>(reader: Reader<T>, otherwise?: T): Reader<T | undefined> {
  return (value, reading) => (value === undefined ? otherwise : reader(value, reading));
}

/** Makes something else of what was read without issues, or reports more of them. */
export const transform =
  <T, U>(reader: Reader<T>, make: (read: T, reading: Reading<Finding>) => U): Reader<U> =>
  (value, reading) => {
    const before = reading.issues.length;
    const read = reader(value, reading);
    // The cast: nobody uses what a failed reading gives.
    return reading.issues.length === before ? make(read, reading) : (undefined as U);
  };

/**
 * Text of at most so many characters; it may be empty. Half a code point is refused: on the wire it would become
 * another text.
 */
const textUpTo =
  (most: number): Reader<string> =>
  (value, reading) => {
    // Never the value, not a number's either: it may be a password.
    if (typeof value !== 'string') return reading.report('expected text', { got: describeKind(value) });
    if (value.length > most) return reading.report(`is longer than ${most} characters`);
    return loneSurrogate.test(value) ? reading.report('holds a lone surrogate') : value;
  };

/** Text that is not empty. */
export const filled =
  (reader: Reader<string>): Reader<string> =>
  (value, reading) =>
    value === '' ? reading.report('must not be empty') : reader(value, reading);

const longestText = 4_096;
const longestName = 1_024;
const longestToken = 16_384;
const longestList = 10_000;

/** Text that may be empty. */
export const readText = textUpTo(longestText);
export const readFilledText = filled(readText);
/** The name of a user, a role or a group. */
export const readName = filled(textUpTo(longestName));
export const readToken = filled(textUpTo(longestToken));

export const readFlag = accepting<boolean>('true or false', (value) => typeof value === 'boolean');
export const readObject = accepting<object>('an object', isObject);

/** A copy of a list, each item read. */
export const listOf =
  <T>(reader: Reader<T>, longest = longestList): Reader<T[]> =>
  (value, reading) => {
    if (!Array.isArray(value)) return refuse(reading, 'an array', value);
    if (value.length > longest) return reading.report(`holds more than ${longest} items`);
    return Array.from(value, (item, index) => reading.at(index, item, reader));
  };

function readKnown(value: unknown, readers: Readers, reading: Reading<Finding>, all: boolean): object {
  if (!isObject(value)) return refuse(reading, 'an object', value);
  const fields: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader === undefined) {
      const names = Object.keys(readers).join(', ');
      reading.at(name, given, () => reading.report(`unknown; accepted are ${names}`));
    } else fields[name] = all || given !== undefined ? reading.at(name, given, reader) : given;
  }
  for (const [name, reader] of Object.entries(all ? readers : {})) {
    if (!Object.hasOwn(fields, name)) fields[name] = reading.at(name, undefined, reader);
  }
  return fields;
}

/** An object with these fields and no others; a field may be missing where its reader says so. */
export const strictObject =
  <R extends Readers>(readers: R): Reader<ReadFields<R>> =>
  (value, reading) =>
    // The cast: each field was made by its reader.
    readKnown(value, readers, reading, true) as ReadFields<R>;

/**
 * An object with any of these fields and no others. What was given as undefined stays: it can remove what was
 * inherited.
 */
export const optionsOf =
  <R extends Readers>(readers: R): Reader<ReadOptions<R>> =>
  (value, reading) =>
    readKnown(value, readers, reading, false) as ReadOptions<R>;

// What services answer is read with less rigour: a newer service may say more, and Go leaves out what is empty.

/** Text of any length. */
export const anyText = accepting<string>('text', (value) => typeof value === 'string');
export const anyNumber = accepting<number>('a number', (value) => typeof value === 'number');
/** Text, empty where it is missing. */
export const textOrEmpty = optional(anyText, '');

/** A list of any length, empty where it is missing. */
export const listOrEmpty = <T>(reader: Reader<T>): Reader<T[]> => {
  const list = listOf(reader, Number.POSITIVE_INFINITY);
  return (value = [], reading) => list(value, reading);
};

/**
 * An object whose fields go by their camelCase names or the snake_case ones; `null` is missing, unknown fields do not
 * count.
 */
export const messageOf =
  <R extends Readers>(readers: R): Reader<ReadFields<R>> =>
  (value, reading) => {
    if (!isObject(value)) return refuse(reading, 'an object', value);
    const given = new Map(Object.entries(value));
    const fields: Record<string, unknown> = {};
    for (const [name, reader] of Object.entries(readers)) {
      const found = given.get(name) ?? given.get(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
      fields[name] = reading.at(name, found ?? undefined, reader);
    }
    return fields as ReadFields<R>;
  };
