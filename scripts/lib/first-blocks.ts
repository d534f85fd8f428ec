import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBlocks } from './examples.ts';
import { exec, root } from './exec.ts';

/** The blocks that a newcomer copies first. Those that run by themselves are run, the other one is parsed. */
const first = [
  { page: 'README.md', section: 'First steps', runs: false },
  { page: 'README.md', section: 'First test', runs: true },
  { page: 'docs/guides/testing.md', section: 'First steps', runs: true },
] as const;

/**
 * Takes the first blocks of README and of the guide about tests as JavaScript, in a folder where the package resolves
 * and with this Node. Gives what failed.
 */
export async function runFirstBlocks(folder: string, node: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const faults: string[] = [];
  for (const [index, { page, section, runs }] of first.entries()) {
    const block = findBlocks(await readFile(join(root, page), 'utf8')).find((one) => one.section === section);
    const file = join(folder, `block-${index}.mjs`);
    await writeFile(file, block?.code ?? '{ // The page has no such section.');
    const { ok, output } = await exec(node, runs ? [file] : ['--check', file], { cwd: folder, timeout: 60_000 });
    if (!ok) faults.push(`${page}, "${section}": ${output}`);
  }
  return faults;
}
