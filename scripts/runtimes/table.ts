import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../../test/runtimes/run.ts';
import { root } from '../lib/exec.ts';
import type { Found } from './runtime.ts';

const [begin, end] = ['<!-- runtimes: written by npm run check:runtimes -->', '<!-- /runtimes -->'];

function count({ passed, failed }: Outcome): string {
  return failed.length === 0 ? `${passed}` : `${passed} of ${passed + failed.length}`;
}

/** A row for each runtime: the checks that passed there. */
export function formatTable(found: readonly (readonly [name: string, found: Found])[]): string {
  const rows = found.map(([name, { version, memory, port, hosted }]) => {
    const ways = Object.entries(hosted).map(([way, outcome]) => `${count(outcome)} (${way})`);
    return `| ${name} | ${version} | ${count(memory)} | ${count(port)} | ${ways.join(', ')} |`;
  });
  return ['| runtime | version | memory | port | mock hosted there |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** Puts the table between its marks in README.md. */
export async function writeTable(table: string): Promise<void> {
  const file = join(root, 'README.md');
  const text = await readFile(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} … ${end}`);
  await writeFile(file, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
}
