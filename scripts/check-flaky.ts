// Runs all of `npm run check` many times, every second time with every core busy, and prints the failed runs with their
// tests and output files: `npm run check:flaky -- --runs 10` (default 10). Exits with 1 if one failed.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { Worker } from 'node:worker_threads';
import { root } from './lib/exec.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '10' } } });
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) {
  console.error('check:flaky: expected a whole number of runs above 0');
  process.exit(2);
}
const folder = join(root, 'reports/flaky');
mkdirSync(folder, { recursive: true });

/** A thread for each core that does nothing but work; they end with this process at the latest. */
const keepBusy = () =>
  Array.from({ length: availableParallelism() }, () => new Worker('for (;;) Math.sqrt(Math.random())', { eval: true }));

/** Runs the check once and streams its output into a file. */
function check(log: string): Promise<boolean> {
  writeFileSync(log, '');
  const child = spawn(`npm run --silent check >> '${log}' 2>&1`, { cwd: root, shell: true, stdio: 'ignore' });
  return new Promise((done) => child.on('close', (code) => done(code === 0)));
}

/** The failures in the output: Vitest names its tests; of other steps the last lines are taken. */
function failuresIn(log: string): string[] {
  const lines = stripVTControlCharacters(readFileSync(log, 'utf8')).split('\n');
  const tests = new Set(lines.flatMap((line) => /^\s*FAIL\s+(.*\S)/.exec(line)?.[1] ?? []));
  return tests.size > 0 ? [...tests] : lines.filter((line) => line.trim() !== '').slice(-5);
}

const failed = new Map<string, number>();
let passed = 0;
for (let run = 1; run <= runs; run++) {
  const busy = run % 2 === 0 ? keepBusy() : [];
  const log = join(folder, `run-${run}.log`);
  const started = performance.now();
  const ok = await check(log);
  await Promise.all(busy.map((worker) => worker.terminate()));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const how = busy.length > 0 ? 'every core busy' : 'quiet';
  console.log(`${ok ? 'ok  ' : 'FAIL'} run ${run} of ${runs}, ${how} (${seconds} s)${ok ? '' : `: ${log}`}`);
  if (ok) passed += 1;
  else for (const what of failuresIn(log)) failed.set(what, (failed.get(what) ?? 0) + 1);
}
for (const [what, times] of failed) console.log(`failed ${times} times: ${what}`);
console.log(`${passed} of ${runs} runs passed`);
process.exitCode = passed === runs ? 0 : 1;
