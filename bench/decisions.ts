import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formats, writeLog } from './decisions/log.ts';

const million = 1_000_000;
const works = ['replay', 'rehearse'];

/** Reads a file with a million lines of each format, each in a process of its own, and prints its time and memory. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-decisions-'));
  const script = `${import.meta.dirname}/decisions/measure.ts`;
  try {
    for (const [name, lineOf] of Object.entries(formats)) {
      const file = join(folder, 'log');
      const bytes = await writeLog(file, lineOf, million);
      console.log(`  ${name}, ${(bytes / 1e6).toFixed(0)} MB`);
      for (const work of works) {
        console.log(
          `    ${work.padEnd(9)} ${execFileSync(process.execPath, [script, work, file], { encoding: 'utf8' }).trim()}`,
        );
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
