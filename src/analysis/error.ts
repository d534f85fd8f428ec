/** Thrown if the input of an analysis is not valid, or if it would take more work than `maxWork`. */
export class AnalysisError extends Error {
  /** Identifies this error if `instanceof` cannot (two copies of the package). */
  readonly code = 'ANALYSIS';

  constructor(message: string) {
    super(message);
    this.name = 'AnalysisError';
  }
}

/** @throws AnalysisError, always: it names the field and its problem. */
export function refuse(field: string, problem: string): never {
  throw new AnalysisError(`${field}: ${problem}`);
}
