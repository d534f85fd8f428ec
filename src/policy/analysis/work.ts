import { AnalysisError } from './analysis-error.js';
import type { AnalysisOptions } from './analysis-types.js';

/** The default of `maxWork`, which takes some seconds. */
const mostWork = 100_000_000;

/** More work than `maxWork`. */
export class TooMuchWork extends AnalysisError {}

/** Counts pattern comparisons and limits them, so that every analysis ends. */
export class Work {
  /** The current step of the analysis, for the error message. */
  at = '';
  readonly most: number;
  left: number;

  constructor({ maxWork = mostWork }: Pick<AnalysisOptions, 'maxWork'>) {
    this.most = maxWork;
    this.left = maxWork;
  }

  /** @throws AnalysisError if the work exceeds `maxWork`. */
  spend(comparisons: number): void {
    this.left -= comparisons;
    if (this.left >= 0) return;
    const hint = 'raise it or ask for less';
    throw new TooMuchWork(`${this.at} takes more than ${this.most} comparisons of patterns (maxWork); ${hint}`);
  }
}
