import { rename, rm, writeFile } from 'node:fs/promises';
import { UsageError } from '../usage-error.js';

/**
 * Replaces a file atomically, readable by its owner only (mode 0600), whatever the mode of the file before.
 * @throws UsageError if it cannot be written.
 */
export async function writePrivate(file: string, text: string): Promise<void> {
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
