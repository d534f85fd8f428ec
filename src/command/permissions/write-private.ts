import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { UsageError } from '../usage-error.js';

/**
 * Replaces a file atomically, readable by its owner only (mode 0600), whatever the mode of the file before. A device or
 * a pipe is not replaced.
 * @throws UsageError if it cannot be written.
 */
export async function writePrivate(file: string, text: string): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  if (before?.isFile() === false) throw new UsageError({ where: file, message: 'is not a regular file' });
  const fresh = `${file}.${crypto.randomUUID()}`;
  try {
    await writeFile(fresh, text, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError({ where: file, message: `cannot be written (${code})` });
  }
}
