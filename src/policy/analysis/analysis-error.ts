import { ArangoServicesError, isArangoServicesError } from '../../base/arango-services-error.js';

/** Thrown if the input of an analysis is not valid, or if it would take more work than `maxWork`. Code `ANALYSIS`. */
export class AnalysisError extends ArangoServicesError<'ANALYSIS'> {
  constructor(message: string) {
    super('AnalysisError', 'ANALYSIS', message, {});
  }
}

/**
 * Tells whether an error is an {@link AnalysisError}: its input is not valid, or would take more work than `maxWork`.
 *
 * @example
 * ```ts
 * import { isAnalysisError, whoCan } from 'arango-services/analysis';
 *
 * try {
 *   whoCan({}, { action: 'orders:read', resource: '' });
 * } catch (error) {
 *   if (isAnalysisError(error)) console.log(error.message);
 * }
 * ```
 */
export const isAnalysisError = (error: unknown): error is AnalysisError =>
  isArangoServicesError(error) && error.code === 'ANALYSIS';

/** @throws AnalysisError, always: it names the field and its problem. */
export function refuse(field: string, problem: string): never {
  throw new AnalysisError(`${field}: ${problem}`);
}
