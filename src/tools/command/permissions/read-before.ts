import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { isPermissionsError, type Permissions, PermissionsError, readPermissions } from '../../../permissions/index.js';
import type { Context } from '../shared/context.js';
import { defaultFile, readFiles } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';

const run = promisify(execFile);
const where = '--before';
/** One byte more than a file of permissions may have. */
const mostBytes = 10_000_001;

/** Names a revision in the issues of its files. */
function inRevision(revision: string, error: unknown): never {
  if (!isPermissionsError(error) || error.issues.length === 0) throw error;
  throw new PermissionsError(error.issues.map((issue) => ({ ...issue, file: `${revision}:${issue.file}` })));
}

/**
 * Reads the file of permissions and its includes in a revision, by the program `git`.
 * @throws UsageError if git does not know the revision, or it has no such file; PermissionsError for a file that is not
 *   valid, naming the revision.
 */
async function readRevision(revision: string, { flags, surroundings }: Context): Promise<Permissions | undefined> {
  const { file: path = defaultFile, deployment } = flags;
  if (path === '-')
    throw new UsageError({ where, message: 'needs --file, not stdin, to find the file in the revision' });
  const { signal } = surroundings;
  const [folder, file] = [dirname(path), basename(path)];
  const git = (...args: readonly string[]) =>
    run('git', ['-C', folder, ...args], { encoding: 'buffer', maxBuffer: mostBytes, signal });
  const output = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`).catch(() => {
    signal.throwIfAborted();
    const message = 'expected a file or a git revision (a shallow clone lacks old ones: fetch it first)';
    throw new UsageError({ where, message });
  });
  const commit = output.stdout.toString().trim();
  const read = async (name: string) => (await git('cat-file', 'blob', `${commit}:./${name}`)).stdout;
  // Listed, because reading may also fail for a file that the revision has.
  const { stdout: listed } = await git('ls-tree', commit, '--', file);
  if (listed.length === 0) {
    if (flags['first-run']) return undefined;
    throw new UsageError({ where, message: `the revision has no ${file}; see --first-run` });
  }
  return readPermissions(file, { read, deployment }).catch((error) => inRevision(revision, error));
}

/**
 * Reads the old version of the file that `--before` names: a file, or else a git revision. Undefined if the revision
 * has no such file, which `--first-run` accepts.
 * @throws UsageError if it is neither, and PermissionsError with the issues of the old version.
 */
export async function readBefore(context: Context): Promise<Permissions | undefined> {
  const { before = '' } = context.flags;
  const isFile = await stat(before).then(
    (stats) => !stats.isDirectory(),
    () => false,
  );
  return isFile || before === '-' ? readFiles(context, before, where) : readRevision(before, context);
}
