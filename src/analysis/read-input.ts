import {
  accepting,
  anyText,
  asGiven,
  fieldsOf,
  listOf,
  oneOf,
  optional,
  optionsOf,
  type Reader,
  type ReadersOf,
  type ReadOptions,
  readOrRefuse,
  strictObject,
  transform,
} from '../lib/readers.js';
import type { EvaluatorSubject, Fidelity } from '../policy/index.js';
import { resourceFault } from '../policy/model/pattern.js';
import { refuse } from './error.js';
import type { AnalysisOptions } from './types.js';

/**
 * Reads an argument of an analysis. Its fields are named below `above`.
 * @throws AnalysisError for the first issue.
 */
export const readInput = <T>(value: unknown, name: string, reader: Reader<T>, above = name): T =>
  readOrRefuse(value, reader, above, (at, problem) => refuse(at || name, problem));

export const readList = <T>(value: unknown, name: string, item: Reader<T>): T[] =>
  readInput(value, name, listOf(item, Number.POSITIVE_INFINITY));

/** A list of names. */
export const names = listOf(anyText, Number.POSITIVE_INFINITY);

/** A subject, read from its own fields. */
export const subject: Reader<EvaluatorSubject> = transform(
  fieldsOf({ user: asGiven, superuser: asGiven, roles: optional(names) }, '{ user }, { user, roles } or { roles }'),
  ({ user, superuser, roles }, reading): EvaluatorSubject => {
    if (typeof user === 'string') return roles ? { user, roles } : { user };
    if (user === undefined && roles) return { roles };
    if (user === undefined && superuser === true) return { superuser };
    return reading.report('expected { user }, { user, roles }, { roles } or { superuser: true }');
  },
);

/** A pattern that can be parsed. */
export const pattern: Reader<string> = transform(anyText, (text, reading) => {
  const fault = resourceFault(text, true);
  return fault ? reading.report(fault) : text;
});

const pairReaders = { action: pattern, resource: pattern };
/** An action and a resource. */
export const pair = fieldsOf(pairReaders);
/** An action and a resource alone. */
export const region = strictObject(pairReaders);
/** An action, a resource, and who may do it. */
export const allowance = strictObject({ ...pairReaders, users: optional(names), roles: optional(names) });

const optionReaders = {
  fidelity: oneOf<Fidelity>('documented', 'sidecar'),
  maxWork: accepting<number>('a number above 0', (value) => typeof value === 'number' && value > 0),
} satisfies ReadersOf<AnalysisOptions>;

/** A reader of the options of every analysis, and of its own. */
export const analysisOptions = <R extends Readonly<Record<string, Reader<unknown>>>>(readers: R) =>
  optionsOf({ ...optionReaders, ...readers });

export const readAnalysisOptions = analysisOptions({});

/** Reads options. */
export const readOptions = <R>(value: unknown, reader: Reader<ReadOptions<R>>): ReadOptions<R> =>
  readInput(value, 'options', reader, '');
