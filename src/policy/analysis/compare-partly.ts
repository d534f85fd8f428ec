import type { AnalysisState, Comparison } from './analysis-types.js';
import { type CompareOptions, openComparison } from './compare.js';
import type { Subject } from './comparer.js';
import type { Attempt } from './differences.js';
import { TooMuchWork, type Work } from './work.js';

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

/** Runs a step with at most a share of all work, or with all that is left; undefined if that does not suffice. */
export function attempt<T>(work: Work, share: number, run: () => T): T | undefined {
  const reserve = Math.max(0, work.left - share * work.most);
  work.left -= reserve;
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return undefined;
  } finally {
    work.left = Math.max(0, work.left) + reserve;
  }
}

/** Returns attempts with a share of all work each. A part that took more is not tried again with the same share. */
export function attemptsOf(work: Work): (share: number) => Attempt {
  const tooLarge = new Set<string>();
  return (share) => (part, run) => {
    const key = `${share} ${part}`;
    const result = tooLarge.has(key) ? undefined : attempt(work, share, run);
    if (result === undefined) tooLarge.add(key);
    return result;
  };
}

/**
 * Compares two states as far as `maxWork` suffices. A subject stands for users with equal policies, or a role. Each
 * gets at most a tenth of `maxWork` in a first pass, so that a few expensive subjects do not use up everything; a
 * second pass compares the subjects that needed more with the work that is left.
 */
export function comparePartly(
  before: AnalysisState,
  after: AnalysisState,
  options: CompareOptions = {},
): PartialComparison {
  const { work, models, subjects, add, regions } = openComparison(before, after, options);
  const attempts = attemptsOf(work);
  /** Lists users by name, without the bindings that `subjects` groups them by: for states too large to group. */
  const unread = (users = models.flatMap(({ evaluator }) => evaluator.users())): Subject[] =>
    [...new Set(users)].map((name) => ({
      kind: 'users',
      name,
      lists: () => models.map((model) => model.bound(model.evaluator.bindings(name))),
    }));
  let left = attempt(work, 1, subjects) ?? subjects(unread);
  for (const share of [0.1, 1]) {
    left = left.filter((subject) => attempt(work, share, () => add(subject, attempts(share))) !== true);
  }
  const names = (kind: Subject['kind']) => left.flatMap((subject) => (subject.kind === kind ? subject.name : []));
  return partial(regions(), names('users'), names('roles'));
}
