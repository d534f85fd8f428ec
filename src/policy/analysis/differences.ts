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

/** Caches differences, so that users with equal policies are compared once. */
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
   * The differences of a subject, part by part. With a `share`, undefined if one part takes more than this share of
   * `maxWork`, here or for an equal subject before.
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
