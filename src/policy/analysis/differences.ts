import type { Alternative } from './read-evaluator.js';
import type { Area } from './region.js';
import { type SharedArea, type SharedPart, Sharing } from './sharing.js';
import type { Space } from './space.js';

/** The alternatives of a subject in each state. */
export type AlternativeLists = readonly (readonly Alternative[])[];

/** Access that a subject gains and loses. An area with a `placeholder` applies to each name in `names`. */
export interface Difference {
  readonly gained: readonly SharedArea[];
  readonly lost: readonly SharedArea[];
  readonly names: SharedPart['names'];
}

/** Computes the areas gained and lost between lists of alternatives. */
export type FindAreas = (lists: AlternativeLists) => {
  readonly gained: readonly Area[];
  readonly lost: readonly Area[];
};

/** Runs the comparison of a part, which has a key; undefined if that takes too much work. */
export type Attempt = <T>(key: string, run: () => T) => T | undefined;

export type FindDifferences = (
  lists: AlternativeLists,
  find: FindAreas,
  attempt?: Attempt,
) => readonly Difference[] | undefined;

/** Returns a function for the differences of a subject, part by part, each once; undefined if one part fails. */
export function differencesOf(space: Space): FindDifferences {
  const sharing = new Sharing(space);
  const areasByKey = new Map<string, Pick<Difference, 'gained' | 'lost'>>();
  return (lists, find, attempt = (_, run) => run()) => {
    const differences: Difference[] = [];
    for (const part of sharing.parts(lists)) {
      const run = () => {
        const { gained, lost } = find(part.lists());
        return { gained: sharing.share(gained, part), lost: sharing.share(lost, part) };
      };
      const areas = areasByKey.get(part.key) ?? attempt(part.key, run);
      if (areas === undefined) return undefined;
      areasByKey.set(part.key, areas);
      differences.push({ ...areas, names: part.names });
    }
    return differences;
  };
}
