import { ArangoServicesError, isArangoServicesError } from '../../base/arango-services-error.js';
import { printable } from '../../base/lib/text/printable.js';

/** A place in a file. */
export interface FilePlace {
  /** The name of the file, as passed or included. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number;
}

/** Compares places by file (in the order of the list), line and column. */
export function byPlace(files: readonly string[]): (a: FilePlace, b: FilePlace) => number {
  const order = new Map(files.map((name, i) => [name, i]));
  return (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line || a.column - b.column;
}

/** A problem in a file, and its place. */
export interface PermissionsIssue extends FilePlace {
  readonly message: string;
}

/**
 * Thrown if files of permissions are not valid, or a plan is refused. Code `PERMISSIONS`. The message has one line per
 * issue; `issues` holds them as data, and is empty if the error is not about a file.
 */
export class PermissionsError extends ArangoServicesError<'PERMISSIONS'> {
  declare readonly issues: readonly PermissionsIssue[];

  constructor(problem: string | readonly PermissionsIssue[]) {
    const issues = typeof problem === 'string' ? [] : problem;
    const text = typeof problem === 'string' ? printable(problem) : issues.map(formatIssue).join('\n');
    super('PermissionsError', 'PERMISSIONS', text, {}, { issues });
  }
}

/**
 * Tells whether an error is a {@link PermissionsError}: files of permissions are not valid, or a plan is refused.
 *
 * @example
 * ```ts
 * import { isPermissionsError, readPermissions } from 'arango-services/permissions';
 *
 * await readPermissions('permissions.yaml', { read: () => 'roles: 7' }).catch((error: unknown) => {
 *   if (isPermissionsError(error)) for (const { line, message } of error.issues) console.log(line, message);
 *   else throw error;
 * });
 * ```
 */
export const isPermissionsError = (error: unknown): error is PermissionsError =>
  isArangoServicesError(error) && error.code === 'PERMISSIONS';

const formatIssue = ({ file, line, column, message }: PermissionsIssue): string =>
  printable(`${file}:${line}:${column}: ${message}`);
