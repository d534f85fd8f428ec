import { anyText, optional, type Reader, type ReadersOf, readFunction, strictObject } from '../../base/lib/readers.js';
import type { Permissions } from './collect-files.js';
import { checkArguments, type ReadFile, readReadFile } from './read-file.js';

/** Options of {@link readPermissions}. */
export interface ReadPermissionsOptions {
  /** Reads a file by its name; the text or its bytes. */
  readonly read: ReadFile;
  /**
   * Resolves symbolic links, so that an include cannot leave the folder through a link. Default: links are not
   * resolved.
   */
  readonly realPath?: ((file: string) => string | Promise<string>) | undefined;
  /**
   * Reads only the custom resources of this deployment: `name`, or `namespace/name`. Required if the files hold custom
   * resources of several deployments.
   */
  readonly deployment?: string | undefined;
}

export const permissionsReaders = {
  read: readReadFile,
  realPath: optional(readFunction as Reader<(file: string) => string | Promise<string>>),
  deployment: optional(anyText),
} satisfies ReadersOf<ReadPermissionsOptions>;

export const readPermissionsOptions = strictObject(permissionsReaders);

/**
 * Reads a file of permissions and the files that it includes: YAML 1.2 (core schema, without tags and merge keys) or
 * JSON, at most 10 MB and 100 aliases each. Runs in any runtime: the caller reads the files. The result is a state for
 * `plan`, for `createEvaluator`, and for the options of `createMock`.
 *
 * A file may instead hold custom resources of the operator, one per document. The state then holds the items that the
 * operator makes of them, under the operator's names.
 *
 * @throws PermissionsError (code `PERMISSIONS`) with all issues, each with file, line and column. An error of `read`
 * or `realPath` for the first file is rethrown; for an included file it becomes an issue at its `include`.
 *
 * @example
 * ```ts
 * import { readPermissions } from 'arango-services/permissions';
 *
 * const files = new Map([['permissions.yaml', 'policies: { reader: { statements: [] } }']]);
 * const { policies } = await readPermissions('permissions.yaml', { read: (file) => files.get(file) ?? '' });
 * console.log(policies.size); // 1
 * ```
 */
export async function readPermissions(file: string, options: ReadPermissionsOptions): Promise<Permissions> {
  checkArguments(file, options, readPermissionsOptions);
  const { collectFiles } = await import('./collect-files.js');
  return (await collectFiles(file, options.read, options.deployment, options.realPath)).permissions;
}
