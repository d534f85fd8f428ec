import {
  accepting,
  anyText,
  asGiven,
  listOf,
  oneOf,
  optional,
  optionsOf,
  type Reader,
  type Readers,
  type ReadersOf,
  type ReadOptions,
  readOrRefuse,
  strictObject,
  transform,
  withoutUndefined,
} from '../../base/lib/readers.js';
import type { EvaluatorSubject, Fidelity } from '../index.js';
import { resourceFault } from '../model/pattern.js';
import { refuse } from './analysis-error.js';
import type { AnalysisOptions } from './analysis-types.js';

/**
 * Reads an argument of an analysis. `above` is the path of its fields in error messages.
 * @throws AnalysisError for the first issue.
 */
export const readInput = <T>(value: unknown, name: string, reader: Reader<T>, above = name): T =>
  readOrRefuse(value, reader, above, (at, problem) => refuse(at || name, problem));

export const readList = <T>(value: unknown, name: string, item: Reader<T>): T[] =>
  readInput(value, name, listOf(item, Number.POSITIVE_INFINITY));

export const names = listOf(anyText);

const aSubject = '{ user }, { user, roles }, { roles } or { superuser: true }';

/** A subject, which may stand beside other fields. Inherited fields are ignored. */
export const subjectWith = (fields: Readers): Reader<EvaluatorSubject> =>
  transform(
    strictObject({ user: asGiven, superuser: asGiven, roles: optional(names), ...fields }, aSubject),
    ({ user, superuser, roles }, reading): EvaluatorSubject => {
      if (typeof user === 'string') return roles ? { user, roles } : { user };
      if (user === undefined && roles) return { roles };
      if (user === undefined && superuser === true) return { superuser };
      return reading.report(`expected ${aSubject}`);
    },
  );

/** A pattern with a valid syntax. */
export const pattern: Reader<string> = transform(anyText, (text, reading) => {
  const fault = resourceFault(text, true);
  return fault ? reading.report(fault) : text;
});

export const pairReaders = { action: pattern, resource: pattern };
/** An action and a resource; other fields are refused. */
export const pair = strictObject(pairReaders);
const holders = { users: optional(names), groups: optional(names), roles: optional(names) };
/** An action, a resource, and the users, groups and roles to which they are allowed. */
export const allowance = withoutUndefined(
  withoutUndefined(withoutUndefined(strictObject({ ...pairReaders, ...holders }), 'users'), 'groups'),
  'roles',
);

const optionReaders = {
  fidelity: oneOf<Fidelity>('documented', 'sidecar'),
  maxWork: accepting<number>('a number above 0', (value) => typeof value === 'number' && value > 0),
} satisfies ReadersOf<AnalysisOptions>;

/** Combines the common options of analyses with additional ones. */
export const analysisOptions = <R extends Readonly<Record<string, Reader<unknown>>>>(readers: R) =>
  optionsOf({ ...optionReaders, ...readers });

export const readAnalysisOptions = analysisOptions({});

export const readOptions = <R>(value: unknown, reader: Reader<ReadOptions<R>>): ReadOptions<R> =>
  readInput(value, 'options', reader, '');
