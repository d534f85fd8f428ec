import type { Alternative } from './read-evaluator.js';
import type { Area } from './region.js';
import { type SharedArea, type SharedPart, Sharing } from './sharing.js';
import type { Space } from './space.js';

/** The alternatives of a subject in each state. */
export type AlternativeLists = readonly (readonly Alternative[])[];

/** Access that a subject gains and loses; its placeholders stand for `names`. */
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

export type FindDifferences = (
  lists: AlternativeLists,
  find: FindAreas,
  share?: number,
) => readonly Difference[] | undefined;

/**
 * Returns a function that finds the differences of a subject, part by part. With a `share`, undefined if one part takes
 * more than this share of `maxWork`, here or for an equal subject before. Equal parts are compared once.
 */
export function differencesOf(space: Space): FindDifferences {
  const sharing = new Sharing(space);
  const known = new Map<string, Pick<Difference, 'gained' | 'lost'>>();
  const tooLarge = new Set<string>();
  const compute = (part: SharedPart, find: FindAreas, share: number | undefined) => {
    const key = `${share} ${part.key}`;
    if (tooLarge.has(key)) return undefined;
    const run = () => {
      const { gained, lost } = find(part.lists());
      return { gained: sharing.share(gained, part), lost: sharing.share(lost, part) };
    };
    const found = share === undefined ? run() : space.work.attempt(share, run);
    if (found) known.set(part.key, found);
    else tooLarge.add(key);
    return found;
  };
  return (lists, find, share) => {
    const found: Difference[] = [];
    for (const part of sharing.parts(lists)) {
      const areas = known.get(part.key) ?? compute(part, find, share);
      if (areas === undefined) return undefined;
      found.push({ ...areas, names: part.names });
    }
    return found;
  };
}
