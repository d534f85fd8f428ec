import type { ReadersOf } from '../../base/lib/readers.js';
import type { AnalysisOptions, AnalysisState, Comparison } from './analysis-types.js';
import { Collector } from './collect.js';
import { comparerOf, type Subject } from './comparer.js';
import { differencesOf } from './differences.js';
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

/** A comparison, and the subjects that were left out because `maxWork` did not suffice. */
export interface PartialComparison extends Comparison {
  /** Users whose access was not compared, sorted. Undefined if there are none. */
  readonly notCompared?: readonly string[] | undefined;
  /** Roles and groups whose access for subjects that name them was not compared, sorted. Undefined if none. */
  readonly rolesNotCompared?: readonly string[] | undefined;
}

/** Adds the subjects that were left out to a comparison. */
export function partial(comparison: Comparison, users: Iterable<string>, roles: Iterable<string>): PartialComparison {
  const [notCompared, rolesNotCompared] = [[...users].sort(), [...roles].sort()];
  return {
    ...comparison,
    ...(notCompared.length > 0 && { notCompared }),
    ...(rolesNotCompared.length > 0 && { rolesNotCompared }),
  };
}

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
  return compareStates(before, after, options, [undefined]);
}

/**
 * Compares two states as far as `maxWork` suffices. Users with equal policies get at most a tenth of it in a first
 * pass, so that a few expensive users do not use up everything; a second pass compares the rest with what remains.
 */
export const comparePartly = (
  before: AnalysisState,
  after: AnalysisState,
  options: CompareOptions = {},
): PartialComparison => compareStates(before, after, options, [0.1, 1]);

/**
 * Compares two states in one pass for each share of `maxWork`; subjects that exceed it are left for the next pass, or
 * left out after the last.
 */
function compareStates(
  before: AnalysisState,
  after: AnalysisState,
  options: CompareOptions,
  shares: readonly (number | undefined)[],
): PartialComparison {
  const { users, roles, ...limits } = readOptions(options, readCompareOptions);
  const work = new Work(limits);
  const space = new Space(work);
  work.at = 'compare: reading the bindings';
  const rules = { fidelity: options.fidelity, usual: fidelityIn(before) ?? fidelityIn(after) };
  const [old, now] = [new Model(readEvaluator(before, rules), space), new Model(readEvaluator(after, rules), space)];
  const comparer = comparerOf(old, now, space);
  const differences = differencesOf(space);
  const isGroup = (name: string) => old.isGroup(name) || now.isGroup(name);
  const collectors = { gained: new Collector(isGroup), lost: new Collector(isGroup) };
  const isDone = ({ kind, name, lists }: Subject, share: number | undefined): boolean => {
    work.at = `compare: ${kind === 'users' ? 'user' : isGroup(name) ? 'group' : 'role'} ${JSON.stringify(name)}`;
    const run = () => {
      work.spend(1);
      return differences(lists(), (lists) => comparer.difference(lists), share);
    };
    const found = share === undefined ? run() : work.attempt(share, run);
    for (const { gained, lost, names } of found ?? []) {
      collectors.gained.add(kind, name, gained, names);
      collectors.lost.add(kind, name, lost, names);
    }
    return found !== undefined;
  };
  const read = () => (users || !roles ? comparer.users(users) : []);
  const isWhole = shares[0] === undefined;
  const changed = isWhole ? read() : (work.attempt(1, read) ?? comparer.allUsers(users));
  let left = [...changed, ...(roles || !users ? comparer.roles(roles) : [])];
  for (const share of shares) left = left.filter((subject) => !isDone(subject, share));
  const names = (kind: Subject['kind']) => left.flatMap((one) => (one.kind === kind ? one.name : []));
  const found = { gained: collectors.gained.regions(), lost: collectors.lost.regions() };
  return partial(found, names('users'), names('roles'));
}
