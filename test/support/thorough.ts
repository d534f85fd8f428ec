/**
 * True in `npm run check`, which runs what a release needs: every run of a property, every case of a long list, every
 * command in a process of its own. `npm test` runs what a pull request needs, a part of them, and so does the project
 * `dependencies-oldest`: the project `unit` runs all of the same files.
 */
export const isThorough = process.env.THOROUGH === '1' && process.env.DEPENDENCIES !== 'oldest';

/** True in `npm run check`, in each of its projects: for whole tests that a release needs and a pull request does not. */
export const isRelease = process.env.THOROUGH === '1';

/** A number for all runs, or the fifth (or another share) of it that belongs to a part of them. */
export const partOf = (all: number, share = 5): number => (isThorough ? all : Math.ceil(all / share));

/**
 * The runs of a property for `fc.assert`: all of them, at random, in `npm run check`; in `npm test` a fifth (or another
 * share), which are the same each time.
 */
export const runsOf = (all: number, share = 5): { readonly numRuns: number; readonly seed?: number } =>
  isThorough ? { numRuns: all } : { numRuns: partOf(all, share), seed: 20_261_127 };

/** The cases of a long list: all of them in `npm run check`, every fifth in `npm test`. */
export const casesOf = <T>(all: readonly T[]): readonly T[] => all.filter((_, index) => isThorough || index % 5 === 0);
