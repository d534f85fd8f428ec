import { AnalysisError } from './analysis-error.js';
import type { AnalysisOptions } from './analysis-types.js';

/** The default of `maxWork`, which takes some seconds. */
const mostWork = 100_000_000;

class TooMuchWork extends AnalysisError {}

/** Counts pattern comparisons and limits them, so that every analysis ends. */
export class Work {
  /** The current step of the analysis, for the error message. */
  at = '';
  readonly #most: number;
  #left: number;

  constructor({ maxWork = mostWork }: Pick<AnalysisOptions, 'maxWork'>) {
    this.#most = maxWork;
    this.#left = maxWork;
  }

  /** @throws AnalysisError if the work exceeds `maxWork`. */
  spend(comparisons: number): void {
    this.#left -= comparisons;
    if (this.#left >= 0) return;
    const hint = 'raise it or ask for less';
    throw new TooMuchWork(`${this.at} takes more than ${this.#most} comparisons of patterns (maxWork); ${hint}`);
  }

  /** Runs a step with at most a share of all work, or with all that is left; undefined if that does not suffice. */
  attempt<T>(share: number, run: () => T): T | undefined {
    const reserve = Math.max(0, this.#left - share * this.#most);
    this.#left -= reserve;
    try {
      return run();
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      return undefined;
    } finally {
      this.#left = Math.max(0, this.#left) + reserve;
    }
  }
}
