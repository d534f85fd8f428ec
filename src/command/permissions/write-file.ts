import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { PermissionsError } from '../../permissions/index.js';
import { UsageError } from '../usage-error.js';

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown');

const notWritten = (file: string, error: unknown): UsageError =>
  new UsageError({ where: file, message: `cannot be written (${codeOf(error)})` });

/**
 * Writes a new file.
 * @throws PermissionsError if it exists already, and UsageError if it cannot be written.
 */
export async function createFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new PermissionsError(`${file} exists already and is not overwritten`);
    throw notWritten(file, error);
  }
}

/**
 * Replaces the content of a file atomically; its mode, and a link to it, stay.
 * @throws UsageError if it cannot be written.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const real = await realpath(file);
  const fresh = `${real}.${crypto.randomUUID()}`;
  try {
    await writeFile(fresh, text, { mode: (await stat(real)).mode, flag: 'wx' });
    await rename(fresh, real);
  } catch (error) {
    await rm(fresh, { force: true });
    throw notWritten(file, error);
  }
}
