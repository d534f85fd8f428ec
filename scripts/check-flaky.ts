// Runs all of `npm run check` many times, every second time with every core busy, and says which runs failed and where their output is.
// `npm run check:flaky -- 10` (ten runs are the default). Exit 1 when one failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/exec.ts';

const runs = Number(process.argv[2] ?? 10);
if (!Number.isInteger(runs) || runs < 1) {
  console.error('check:flaky: expected a whole number of runs above 0');
  process.exit(2);
}
const folder = join(root, 'reports/flaky');
mkdirSync(folder, { recursive: true });

/** One process a core that does nothing but work. */
function keepBusy(): ChildProcess[] {
  return Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['--eval', 'for (;;) Math.sqrt(Math.random())'], { stdio: 'ignore' }),
  );
}

function check(log: string): Promise<boolean> {
  const child = spawn('npm', ['run', '--silent', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = createWriteStream(log);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  return new Promise((done) => {
    child.on('close', (code) => {
      output.end();
      done(code === 0);
    });
  });
}

let failures = 0;
for (let run = 1; run <= runs; run++) {
  const busy = run % 2 === 0 ? keepBusy() : [];
  const log = join(folder, `run-${run}.log`);
  const started = performance.now();
  const passed = await check(log);
  for (const child of busy) child.kill();
  if (!passed) failures += 1;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const how = busy.length > 0 ? 'every core busy' : 'quiet';
  console.log(`${passed ? 'ok  ' : 'FAIL'} run ${run} of ${runs}, ${how} (${seconds} s)${passed ? '' : `: ${log}`}`);
}
console.log(`${runs - failures} of ${runs} runs passed`);
process.exitCode = failures === 0 ? 0 : 1;
