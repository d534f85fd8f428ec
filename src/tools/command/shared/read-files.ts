import { readFault } from '../../../base/lib/system-errors.js';
import { type Permissions, readPermissions } from '../../../permissions/index.js';
import type { Context } from './context.js';
import { UsageError } from './usage-error.js';

/** The file of permissions if no flag names one. */
export const defaultFile = 'permissions.yaml';

/** Makes a problem of the user of a system error; other errors stay. */
export function fileProblem(where: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  return new UsageError({ where, message: readFault(error) });
}

/**
 * Makes a problem of the user of a failure to read the first file.
 * @throws UsageError if it cannot be read, and PermissionsError with its issues.
 */
export async function reading<T>(file: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw fileProblem(file, error);
  }
}

/**
 * Reads a file of permissions and its includes.
 * @param where the flag or argument that names it.
 * @throws UsageError if it cannot be read, and PermissionsError with its issues.
 */
export function readFiles({ flags, inputs }: Context, name: string, where = '--file'): Promise<Permissions> {
  const { file, ...access } = inputs.permissions(where, name);
  return reading(file, readPermissions(file, { ...access, deployment: flags.deployment }));
}
