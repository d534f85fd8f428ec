import type { ReadersOf } from '../../base/lib/readers.js';
import type { AnalysisOptions, AnalysisState, Comparison } from './analysis-types.js';
import { Collector } from './collect.js';
import { comparerOf, type Subject } from './comparer.js';
import { type Attempt, differencesOf } from './differences.js';
import { fidelityIn, Model, readEvaluator } from './read-evaluator.js';
import { analysisOptions, names, readOptions } from './read-input.js';
import { Space } from './space.js';
import { Work } from './work.js';

/** Options of `compare`. */
export interface CompareOptions extends AnalysisOptions {
  /** Compares only these users. Default, if neither users nor roles are given: all users and roles of both states. */
  readonly users?: readonly string[] | undefined;
  /** Compares only the access of subjects that name these groups or, in documented fidelity, roles. */
  readonly roles?: readonly string[] | undefined;
}

export const readCompareOptions = analysisOptions({ users: names, roles: names } satisfies ReadersOf<
  Omit<CompareOptions, keyof AnalysisOptions>
>);

/**
 * Finds all access that differs between two states: of users by their own bindings, and of subjects that name a group
 * or, in documented fidelity, a role.
 * Two states that decide alike compare equal, however they are written. Each region comes with a question that proves
 * it. Parts that an evaluator and its changed `clone()` share cost next to nothing.
 *
 * @throws AnalysisError (code `ANALYSIS`) for options that are not valid, and above `maxWork`; PolicyError (code
 *   `POLICY`) for a state that does not validate.
 *
 * @example
 * ```ts
 * import { compare, formatComparison } from 'arango-services/analysis';
 * import { createEvaluator } from 'arango-services/policy';
 *
 * const before = createEvaluator();
 * const after = before.clone();
 * after.setPolicy('reader', { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] });
 * after.setRole('viewer', { policies: ['reader'] });
 * console.log(formatComparison(compare(before, after)));
 * // + role "viewer": orders:read on *
 * //     for example "orders:read" on "x"
 * ```
 */
export function compare(before: AnalysisState, after: AnalysisState, options: CompareOptions = {}): Comparison {
  const { subjects, add, regions } = openComparison(before, after, options);
  for (const subject of subjects()) add(subject);
  return regions();
}

/** Reads two states, to compare the access of one subject after the other. */
export function openComparison(before: AnalysisState, after: AnalysisState, options: CompareOptions) {
  const { users, roles, ...limits } = readOptions(options, readCompareOptions);
  const work = new Work(limits);
  const space = new Space(work);
  work.at = 'compare: reading the bindings';
  const rules = { fidelity: options.fidelity, usual: fidelityIn(before) ?? fidelityIn(after) };
  const models = [before, after].map((state) => new Model(readEvaluator(state, rules), space)) as [Model, Model];
  const comparer = comparerOf(...models, space);
  const differences = differencesOf(space);
  const isGroup = (name: string) => models.some((model) => model.isGroup(name));
  const [gained, lost] = [new Collector(isGroup), new Collector(isGroup)];
  return {
    work,
    models,
    /** The subjects whose access may have changed. `readUsers` replaces the reading of users. */
    subjects: (readUsers = comparer.users): Subject[] => [
      ...(users || !roles ? readUsers(users) : []),
      ...(roles || !users ? comparer.roles(roles) : []),
    ],
    /** Adds the differences of a subject; false if an attempt at them fails. */
    add({ kind, name, lists }: Subject, attempt?: Attempt): boolean {
      work.at = `compare: ${kind === 'users' ? 'user' : isGroup(name) ? 'group' : 'role'} ${JSON.stringify(name)}`;
      work.spend(1);
      const changes = differences(lists(), comparer.difference, attempt);
      for (const { names, ...areas } of changes ?? []) {
        gained.add(kind, name, areas.gained, names);
        lost.add(kind, name, areas.lost, names);
      }
      return changes !== undefined;
    },
    regions: (): Comparison => ({ gained: gained.regions(), lost: lost.regions() }),
  };
}
