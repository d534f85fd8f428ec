import { rename, writeFile } from 'node:fs/promises';

/** Replaces a token file atomically: readers find the old token or the new one, never a part of one. */
export async function writeToken(file: string, token: string): Promise<void> {
  const fresh = `${file}.${crypto.randomUUID()}`;
  await writeFile(fresh, token, { mode: 0o600 });
  await rename(fresh, file);
}
