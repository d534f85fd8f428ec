import {
  accepting,
  anyText,
  asGiven,
  listOf,
  oneOf,
  optional,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFields,
  readFlag,
  readName,
  readObject,
  readText,
  readToken,
  refuse,
  strictObject,
  wholeNumber,
} from '../base/lib/readers.js';
import { isObject } from '../base/lib/values.js';
import { faultReaders } from '../mock/options/fault.js';
import type { EvaluatorSubject, Policy, Role } from '../policy/index.js';
import {
  type ClockChange,
  type ConsoleQuestion,
  type Edit,
  type FaultOrder,
  type ForgeOrder,
  longestFile,
  type MatrixQuestion,
  type MintOrder,
  type WhoQuestion,
} from './api.js';
import { ConsoleError } from './console-error.js';

// Arguments come from the network, so each field is checked before any is used.

const mostUsers = 200;
const mostActions = 100;
const mostCells = 5_000;

/** Reads an action or a resource, which unlike a pattern may be any text. */
const readPart = readText;

const readSubject: Reader<EvaluatorSubject | { readonly token: string }> = (value, reading) => {
  const wanted = 'an object with one of user, roles, superuser: true and token';
  if (!isObject(value)) return refuse(reading, wanted, value);
  const { user, roles, superuser, token } = strictObject({
    user: optional(readText),
    roles: optional(listOf(readName, mostUsers)),
    superuser: optional(readFlag),
    token: optional(readToken),
  })(value, reading);
  if (token !== undefined)
    return (user ?? roles ?? superuser) === undefined ? { token } : refuse(reading, wanted, value);
  if (superuser === true) return (user ?? roles) === undefined ? { superuser } : refuse(reading, wanted, value);
  if (user !== undefined) return roles === undefined ? { user } : { user, roles };
  return roles === undefined ? refuse(reading, wanted, value) : { roles };
};

export const readQuestion = (value: unknown): ConsoleQuestion =>
  readFields(value, 'question', strictObject({ subject: readSubject, action: readPart, resource: readPart }));

export const readWhoQuestion = (value: unknown): WhoQuestion =>
  readFields(value, 'question', strictObject({ action: readPart, resource: readPart }));

/**
 * Reads the rows and columns of a matrix.
 * @throws ConsoleError for more cells than are computed at once.
 */
export function readMatrixQuestion(value: unknown): MatrixQuestion {
  const read = strictObject({
    of: oneOf('users', 'groups'),
    names: listOf(readText, mostUsers),
    actions: listOf(readPart, mostActions),
    resource: readPart,
  });
  const question = readFields(value, 'question', read);
  if (question.names.length * question.actions.length > mostCells) {
    throw new ConsoleError('invalid', `expected at most ${mostCells} cells: ask for fewer rows or actions`, 'names');
  }
  return question;
}

export function readGrantee(value: unknown): EvaluatorSubject {
  const subject = readFields(value, 'subject', readSubject);
  if (!('token' in subject)) return subject;
  throw new ConsoleError('invalid', 'expected a user or groups', 'subject');
}

export const readId = (value: unknown): { readonly id: number } =>
  readFields(value, 'options', strictObject({ id: wholeNumber('an id', 0, Number.MAX_SAFE_INTEGER) }));

export const readPage = (value: unknown) =>
  readFields(
    value,
    'options',
    strictObject({
      after: optional(wholeNumber('an id', 0, Number.MAX_SAFE_INTEGER)),
      before: optional(wholeNumber('an id', 0, Number.MAX_SAFE_INTEGER)),
      most: optional(wholeNumber('a number of rows', 1, 2_000)),
    }),
  );

// Contents are checked by `validatePolicy` and `validateRole`, which report every issue with its path.
const readPolicy = asGiven as Reader<Policy>;
const readRole = asGiven as Reader<Role>;

const editFields = {
  'create-policy': { name: readName, policy: readPolicy },
  'update-policy': { name: readName, policy: readPolicy },
  'delete-policy': { name: readName },
  'create-role': { name: readName, role: readRole },
  'update-role': { name: readName, role: readRole },
  'delete-role': { name: readName },
  'assign-role': { user: readName, role: readName, scope: readPolicy },
  'replace-scope': { user: readName, role: readName, scope: readPolicy },
  'remove-role': { user: readName, role: readName },
} as const satisfies Readonly<Record<Edit['kind'], Readonly<Record<string, Reader<unknown>>>>>;

// The cast: the names are the keys of `editFields`.
const readKind = oneOf(...(Object.keys(editFields) as Edit['kind'][]));

const readEditFields: Reader<Edit> = (value, reading) => {
  if (!isObject(value)) return refuse(reading, 'an edit', value);
  const before = reading.issues.length;
  const kind = reading.at('kind', value.kind, readKind);
  // The cast: after an issue the result is never used.
  if (reading.issues.length > before) return undefined as unknown as Edit;
  // The cast: the fields are those of the kind.
  return strictObject({ kind: readKind, ...editFields[kind] })(value, reading) as unknown as Edit;
};

export const readEdit = (value: unknown) =>
  readFields(
    value,
    'options',
    strictObject({
      edit: readEditFields,
      revision: optional(wholeNumber('a revision', 0, Number.MAX_SAFE_INTEGER)),
    }),
  );

export const readTokenText = (value: unknown): { readonly text: string } =>
  readFields(value, 'options', strictObject({ text: readToken }));

const mintFields = {
  user: accepting<string | null>('a string or null', (value) => value === null || typeof value === 'string'),
  groups: optional(listOf(anyText)),
  lifetime: optional(anyText),
};

export const readMintOrder = (value: unknown): MintOrder => readFields(value, 'order', strictObject(mintFields));

export const readForgeOrder = (value: unknown): ForgeOrder =>
  readFields(
    value,
    'order',
    strictObject({
      ...mintFields,
      expired: optional(readFlag),
      notYetValid: optional(readFlag),
      wrongKey: optional(readFlag),
      none: optional(readFlag),
      algorithm: optional(oneOf('HS256', 'HS384', 'HS512', 'ES256')),
      claims: optional(readObject as Reader<Readonly<Record<string, unknown>>>),
    }),
  );

const readOn = accepting<true>('true', (value) => value === true);

/** Reads a change of the clock: exactly one of its fields. */
export function readClockChange(value: unknown): ClockChange {
  const read = strictObject({
    advance: optional(anyText),
    set: optional(anyText),
    run: optional(readOn),
    real: optional(readOn),
  });
  const fields = readFields(value, 'change', read);
  const [entry, ...others] = Object.entries(fields).filter(([, field]) => field !== undefined);
  if (entry === undefined || others.length > 0) {
    throw new ConsoleError('invalid', 'expected one of advance, set, run and real', 'change');
  }
  // The cast: exactly one of the fields is there.
  return Object.fromEntries([entry]) as unknown as ClockChange;
}

/** Reads a fault as the page sends it; `mock.fail` checks which fields go together. */
export const readFaultOrder = (value: unknown): FaultOrder =>
  readFields(
    value,
    'fault',
    optionsOf({
      ...faultReaders,
      method: anyText,
      path: anyText,
      // `always` for Infinity, which JSON lacks.
      times: ((times, reading) => (times === 'always' ? times : faultReaders.times(times, reading))) as Reader<
        number | 'always'
      >,
    } satisfies ReadersOf<FaultOrder>),
  );

export const readSnapshotName = (value: unknown) =>
  readFields(
    value,
    'options',
    strictObject({ name: optional(accepting<string>('a string of at most 100 characters', isShort)) }),
  );

const isShort = (value: unknown): boolean => typeof value === 'string' && value.length <= 100;

export const readExport = (value: unknown) =>
  readFields(
    value,
    'options',
    strictObject({ kind: oneOf('seed', 'createMock', 'permissions'), secrets: optional(readFlag, false) }),
  );

export const readFileText = (value: unknown) =>
  readFields(
    value,
    'options',
    strictObject({ text: optional(accepting<string>('a string of at most 10 MB', isFile)) }),
  );

const isFile = (value: unknown): boolean => typeof value === 'string' && value.length <= longestFile;
