// Runs each file of the project `unit` once, alone: one after the other, each in a process of its own. Lists the files
// by CPU time, with the time in which their process slept: it waited for modules, sockets, timers or other processes.
// Exits with 1 if a test fails, or if a file takes more CPU time than it may; files as arguments choose some.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/exec.ts';

const mostMs = 10_000;
/** Files that are listed although they take less. */
const listed = 20;

const folder = mkdtempSync(join(tmpdir(), 'arango-services-alone-'));
const times = join(folder, 'times.jsonl');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const flags = ['--project', 'unit', '--isolate', '--no-file-parallelism', '--reporter', 'dot'];
// As in `npm test`, which runs a part of what `npm run check` does.
const { THOROUGH: _, ...environment } = process.env;
const env = { ...environment, CPU_TIMES: times };
const { status } = spawnSync(process.execPath, [vitest, 'run', ...flags, ...process.argv.slice(2)], {
  cwd: root,
  env,
  stdio: 'inherit',
});
// The cast: what test/support/cpu-time.ts writes.
const files = readFileSync(times, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly file: string; readonly ms: number; readonly asleepMs: number })
  .sort((one, other) => other.ms - one.ms);
rmSync(folder, { recursive: true });
const slow = files.filter(({ ms }) => ms > mostMs);
const sum = files.reduce((total, { ms }) => total + ms, 0);
console.log(`check:alone: ${files.length} files, ${(sum / 1_000).toFixed(0)} s of CPU time`);
const secondsOf = (ms: number) => `${(ms / 1_000).toFixed(1).padStart(5)} s`;
for (const { file, ms, asleepMs } of files.slice(0, Math.max(listed, slow.length))) {
  console.log(`${ms > mostMs ? 'FAIL' : 'ok  '} ${secondsOf(ms)}, asleep ${secondsOf(asleepMs)} ${file}`);
}
process.exitCode = status === 0 && slow.length === 0 ? 0 : 1;
