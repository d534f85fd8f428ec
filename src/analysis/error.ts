/** An analysis was refused: its input is not valid, or it would take more work than `maxWork`. */
export class AnalysisError extends Error {
  /** Tells this error apart where `instanceof` cannot (two copies of the package). */
  readonly code = 'ANALYSIS';

  constructor(message: string) {
    super(message);
    this.name = 'AnalysisError';
  }
}

/** @throws AnalysisError that names the field and its problem. */
export function refuse(field: string, problem: string): never {
  throw new AnalysisError(`${field}: ${problem}`);
}
