import { strictObject } from '../../base/lib/readers.js';
import { checkArguments, type ReadFile, readContent, readReadFile } from '../files/read-file.js';
import type { PermissionTests } from './parse-tests.js';

const readTestsOptions = strictObject({ read: readReadFile });

/**
 * Reads a file of tests of permissions, YAML or JSON like the permissions themselves. Runs in any runtime, because the
 * caller reads the file.
 *
 * @throws PermissionsError (code `PERMISSIONS`) with all issues, each with file, line and column. Errors of `read` are
 *   passed on.
 *
 * @example
 * ```ts
 * import { readTests } from 'arango-services/permissions';
 *
 * const text = 'nobody: [{ action: "orders:delete", resource: "*" }]';
 * const { nobody } = await readTests('permissions.test.yaml', { read: () => text });
 * console.log(nobody[0]?.line); // 1
 * ```
 */
export async function readTests(file: string, options: { readonly read: ReadFile }): Promise<PermissionTests> {
  checkArguments(file, options, readTestsOptions);
  const content = await readContent(file, options.read);
  const { parseTests } = await import('./parse-tests.js');
  return parseTests(file, content);
}
