import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBlocks } from './examples.ts';
import { exec, root } from './exec.ts';

/**
 * Runs the first block of the guide about tests as JavaScript, in a folder where the package resolves and with this
 * Node. Gives what failed.
 */
export async function runFirstBlock(folder: string, node: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const [block] = findBlocks(await readFile(join(root, 'docs/guides/testing.md'), 'utf8'));
  const file = join(folder, 'block.mjs');
  await writeFile(file, block?.code ?? '{ // The page has no block.');
  const { ok, output } = await exec(node, [file], { cwd: folder, timeout: 60_000 });
  return ok ? [] : [`docs/guides/testing.md: ${output}`];
}
