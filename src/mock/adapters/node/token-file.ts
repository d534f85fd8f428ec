import { rename, writeFile } from 'node:fs/promises';

/** Replaces a token file in one step: whoever reads it finds the old token or the new one, never half of one. */
export async function writeToken(file: string, token: string): Promise<void> {
  const fresh = `${file}.${crypto.randomUUID()}`;
  await writeFile(fresh, token, { mode: 0o600 });
  await rename(fresh, file);
}
