import type { Alternative } from './model.js';
import type { Area } from './region.js';
import { type SharedArea, type SharedPart, Sharing } from './sharing.js';
import type { Space } from './space.js';

/** Alternatives of a subject in each of some states. */
export type AlternativeLists = readonly (readonly Alternative[])[];

/** Access that a subject gains and loses, to be filled in with its names. */
export interface Difference {
  readonly gained: readonly SharedArea[];
  readonly lost: readonly SharedArea[];
  readonly names: SharedPart['names'];
}

/** Computes the areas that are gained and lost by subjects with these alternatives. */
export type FindAreas = (lists: AlternativeLists) => {
  readonly gained: readonly Area[];
  readonly lost: readonly Area[];
};

/** The differences between states, computed once for all users who are alike. */
export class Differences {
  readonly #space: Space;
  readonly #sharing: Sharing;
  readonly #known = new Map<string, Pick<Difference, 'gained' | 'lost'>>();
  readonly #tooLarge = new Set<string>();

  constructor(space: Space) {
    this.#space = space;
    this.#sharing = new Sharing(space);
  }

  /**
   * The differences of a subject, part by part. With a `share` of all work, undefined if a part takes more than that,
   * for this subject or for one that is alike.
   */
  find(lists: AlternativeLists, find: FindAreas, share?: number): readonly Difference[] | undefined {
    const found: Difference[] = [];
    for (const part of this.#sharing.parts(lists)) {
      const known = this.#known.get(part.key) ?? this.#compute(part, find, share);
      if (known === undefined) return undefined;
      found.push({ ...known, names: part.names });
    }
    return found;
  }

  #compute(part: SharedPart, find: FindAreas, share: number | undefined) {
    const key = `${share} ${part.key}`;
    if (this.#tooLarge.has(key)) return undefined;
    const run = () => {
      const { gained, lost } = find(part.lists());
      return { gained: this.#sharing.share(gained, part), lost: this.#sharing.share(lost, part) };
    };
    const found = share === undefined ? run() : this.#space.work.attempt(share, run);
    if (found) this.#known.set(part.key, found);
    else this.#tooLarge.add(key);
    return found;
  }
}
