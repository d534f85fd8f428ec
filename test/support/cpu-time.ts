import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';

// scripts/check-alone.ts makes this a setup file of the project `unit`: it writes a line for each test file, with the
// CPU time of its process and of the processes that it started, and with the time in which it slept.

/** CPU time of the processes that this one started and that have ended, in milliseconds; 0 where the system does not tell. */
function childrenMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // cutime and cstime, in hundredths of a second.
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + childrenMs();
}

/** Time that the main thread ran, or stood in line for a core, in milliseconds; 0 where the system does not tell. */
function awakeMs(): number {
  try {
    const [ran = '', stood = ''] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return (Number(ran) + Number(stood)) / 1_000_000;
  } catch {
    return 0;
  }
}

const before = { cpu: cpuMs(), awake: awakeMs(), now: performance.now() };
const { CPU_TIMES } = process.env;

afterAll(() => {
  const file = relative(root, expect.getState().testPath ?? '');
  const ms = Math.round(cpuMs() - before.cpu);
  const asleepMs = Math.round(performance.now() - before.now - (awakeMs() - before.awake));
  if (CPU_TIMES !== undefined) appendFileSync(CPU_TIMES, `${JSON.stringify({ file, ms, asleepMs })}\n`);
});
