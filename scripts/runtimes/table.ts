import type { Outcome } from '../../test/runtimes/run.ts';
import { writeMarked } from '../lib/marked.ts';
import type { Found } from './runtime.ts';

function count({ passed, failed }: Outcome): string {
  return failed.length === 0 ? `${passed}` : `${passed} of ${passed + failed.length}`;
}

/** A row for each runtime: the checks that passed there. */
export function formatTable(found: readonly (readonly [name: string, found: Found])[]): string {
  const rows = found.map(([name, { version, memory, port, job, hosted }]) => {
    const ways = Object.entries(hosted).map(([way, outcome]) => `${count(outcome)} (${way})`);
    return `| ${name} | ${version} | ${count(memory)} | ${count(port)} | ${job ? count(job) : ''} | ${ways.join(', ')} |`;
  });
  return [
    '| runtime | version | memory | port | main job | mock hosted there |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Puts the table between its marks in docs/measured.md. */
export const writeTable = (table: string): Promise<void> => writeMarked('runtimes', 'check:runtimes', table);
