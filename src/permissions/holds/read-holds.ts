import { strictObject } from '../../base/lib/readers.js';
import { checkArguments, type ReadFile, readContent, readReadFile } from '../files/read-file.js';
import type { FilePlace } from '../model/permissions-error.js';
import type { Hold } from './hold.js';

const readHoldsOptions = strictObject({ read: readReadFile });

/**
 * Reads a file of holds, YAML or JSON, for the option `holds` of `plan`. Runs in any runtime, because the caller reads
 * the file. The result has those that have ended, too: `holdsAt` selects the ones in force.
 *
 * @throws PermissionsError (code `PERMISSIONS`) with all issues, each with file, line and column. Errors of `read` are
 *   passed on.
 *
 * @example
 * ```ts
 * import { holdsAt, readHolds } from 'arango-services/permissions';
 *
 * const text = 'holds: [{ user: alice, until: "2026-12-01T08:00:00Z", reason: stolen laptop }]';
 * const holds = await readHolds('permissions.holds.yaml', { read: () => text });
 * console.log(holdsAt(holds).length, holds[0]?.line);
 * ```
 */
export async function readHolds(
  file: string,
  options: { readonly read: ReadFile },
): Promise<readonly (Hold & FilePlace)[]> {
  checkArguments(file, options, readHoldsOptions);
  const content = await readContent(file, options.read);
  const { parseHolds } = await import('./parse-holds.js');
  return parseHolds(file, content);
}
