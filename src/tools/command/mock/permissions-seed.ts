import { readFile, realpath } from 'node:fs/promises';
import type { Problem } from './mock-arguments.js';

/** The part of a configuration that files of permissions hold, or the problems with the files. */
type PermissionsSeed = { readonly value: object } | { readonly problems: readonly Problem[] };

/**
 * Reads a file of permissions and its includes as a configuration. Rejects if the first file cannot be read. The reader
 * of YAML is loaded for such a file only.
 */
export async function readPermissionsSeed(file: string): Promise<PermissionsSeed> {
  const { PermissionsError, readPermissions } = await import('../../../permissions/index.js');
  try {
    const { policies, roles, bindings } = await readPermissions(file, {
      read: (name) => readFile(name),
      realPath: (name) => realpath(name),
    });
    return { value: { policies: Object.fromEntries(policies), roles: Object.fromEntries(roles), bindings } };
  } catch (error) {
    if (!(error instanceof PermissionsError)) throw error;
    const problems = error.issues.map(({ file, line, column, message }) => ({
      where: `${file}:${line}:${column}`,
      message,
    }));
    return { problems };
  }
}
