import { isInvalidArgumentError } from '../base/error-guards.js';
import { formatPath, type IssuePath } from '../base/lib/text/paths.js';
import { ConsoleError } from './console-error.js';

/** The issues of an error that lists them, as policy errors do. */
function issuesOf(error: Error): readonly { readonly path: IssuePath; readonly message: string }[] {
  // The cast: errors with this code have issues of this form.
  return 'issues' in error && Array.isArray(error.issues)
    ? (error.issues as { path: IssuePath; message: string }[])
    : [];
}

/**
 * Converts an error of a call. `field` is the argument that policy errors are about. Messages of unexpected errors are
 * omitted, since they may quote secrets.
 */
export function toConsoleError(error: unknown, field?: string): ConsoleError {
  if (error instanceof ConsoleError) return error;
  if (isInvalidArgumentError(error)) return new ConsoleError('invalid', error.problem, error.field);
  if (error instanceof Error && 'code' in error) {
    const [issue] = issuesOf(error);
    if (error.code === 'POLICY' && issue !== undefined) {
      const place = formatPath(issue.path);
      const at = field === undefined ? place : [field, place].filter(Boolean).join(place.startsWith('[') ? '' : '.');
      return new ConsoleError('invalid', issue.message, at);
    }
    if (error.code === 'ANALYSIS') return new ConsoleError('failed', error.message);
  }
  return new ConsoleError('failed', 'the console failed unexpectedly');
}
