import { chmod, link, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { systemCode, writeFault } from '../../../base/lib/system-errors.js';
import { sleep } from '../../../base/lib/wait.js';
import { PermissionsError } from '../../../permissions/index.js';
import { UsageError } from '../shared/usage-error.js';

/** The codes of a disk that takes no more. */
const full = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'];

/** Makes a problem of the user of a failure to write, unless the disk failed. */
export const notWritten = (file: string, error: unknown): Error =>
  full.includes(systemCode(error) ?? '')
    ? new Error(`${file}: ${writeFault(error)}`)
    : new UsageError({ where: file, message: writeFault(error) });

/**
 * Writes a new file beside `file`. Returns a function that puts it in the place of `file`, and one that removes it.
 * @param mode the mode of the new file. Default: by the umask.
 */
async function prepare(file: string, text: string | Uint8Array, mode?: number) {
  const fresh = `${file}.${crypto.randomUUID()}`;
  const cancel = () => rm(fresh, { force: true });
  /** Removes the new file if a step fails. */
  const attempt = (step: Promise<void>) =>
    step.catch(async (error: unknown) => {
      await cancel();
      throw error;
    });
  await attempt(writeFile(fresh, text, { mode: mode ?? 0o666, flag: 'wx' }));
  // The umask has cleared bits of the mode, such as a group's right to write. Some file systems have no modes.
  if (mode !== undefined) await chmod(fresh, mode).catch(() => {});
  return { commit: () => attempt(rename(fresh, file)), cancel };
}

/** Replaces a file atomically: readers find the old text or the new one. */
async function swap(file: string, text: string, mode?: number): Promise<void> {
  try {
    await (await prepare(file, text, mode)).commit();
  } catch (error) {
    throw notWritten(file, error);
  }
}

/**
 * Writes a new file.
 * @throws PermissionsError if it exists already, and UsageError if it cannot be written.
 */
export async function createFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (systemCode(error) === 'EEXIST')
      throw new PermissionsError(`${file} exists already and is not overwritten: name a new file, or remove it`);
    throw notWritten(file, error);
  }
}

/** A file that is written, but does not replace the one with its name yet. */
interface Prepared extends Awaited<ReturnType<typeof prepare>> {
  /** The name for messages. */
  readonly file: string;
  /** Puts the old text back. */
  readonly undo: () => Promise<void>;
}

/** Replaces all files. If one cannot be, such as the target of a mount, the others get their old texts back. */
async function commitAll(prepared: readonly Prepared[]): Promise<void> {
  for (const [index, { file, commit }] of prepared.entries()) {
    try {
      await commit();
    } catch (error) {
      for (const { cancel } of prepared.slice(index + 1)) await cancel();
      for (const { undo } of prepared.slice(0, index)) await undo();
      throw notWritten(file, error);
    }
  }
}

/**
 * Replaces the content of several files, none if one of them cannot be written. The modes, and links, stay.
 * @throws UsageError if one cannot be written.
 */
export async function replaceFiles(texts: ReadonlyMap<string, string>): Promise<void> {
  const prepared: Prepared[] = [];
  for (const [file, text] of texts) {
    try {
      const real = await realpath(file);
      const [before, { mode }] = [await readFile(real), await stat(real)];
      const undo = async () => (await prepare(real, before, mode)).commit();
      prepared.push({ ...(await prepare(real, text, mode)), file, undo });
    } catch (error) {
      for (const { cancel } of prepared) await cancel();
      throw notWritten(file, error);
    }
  }
  await commitAll(prepared);
}

/**
 * Replaces the content of a file atomically; its mode, and a link to it, stay.
 * @throws UsageError if it cannot be written.
 */
export const replaceFile = (file: string, text: string): Promise<void> => replaceFiles(new Map([[file, text]]));

/**
 * Writes a file atomically, whether it is new or not.
 * @throws UsageError if it cannot be written.
 */
export const writeWhole = (file: string, text: string): Promise<void> => swap(file, text);

/** The codes of file systems without hard links. */
const linkless = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Writes a new file atomically. Resolves to false if it exists already. On a file system without hard links it is
 * replaced.
 * @throws UsageError if it cannot be written.
 */
export async function writeNew(file: string, text: string): Promise<boolean> {
  const fresh = `${file}.${crypto.randomUUID()}`;
  try {
    await writeFile(fresh, text, { flag: 'wx' });
    await link(fresh, file).catch((error: unknown) => {
      if (!linkless.includes(systemCode(error) ?? '')) throw error;
      return rename(fresh, file);
    });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw notWritten(file, error);
  } finally {
    await rm(fresh, { force: true });
  }
}

/**
 * Replaces a file atomically, readable by its owner only (mode 0600), whatever the mode of the file before. A device or
 * a pipe is not replaced.
 * @throws UsageError if it cannot be written.
 */
export async function writePrivate(file: string, text: string): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  if (before?.isFile() === false) throw new UsageError({ where: file, message: 'is not a regular file' });
  await swap(file, text, 0o600);
}

/** The age in milliseconds at which a lock counts as left behind by a killed process. */
const deadLockMs = 2000;
const lockPauseMs = 20;

/**
 * Runs `work` on a file while this process holds its lock, the file `<file>.lock`.
 * @throws UsageError if the lock cannot be written.
 */
export async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const take = () =>
    writeFile(lock, '', { flag: 'wx' }).then(
      () => true,
      (error: unknown) => {
        if (systemCode(error) === 'EEXIST') return false;
        throw notWritten(file, error);
      },
    );
  while (!(await take())) {
    const other = await stat(lock).catch(() => undefined);
    if (other && Math.abs(Date.now() - other.mtimeMs) > deadLockMs) await rm(lock, { force: true });
    else await sleep(lockPauseMs);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}
