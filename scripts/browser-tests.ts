// Runs the browser tests in headless Chromium. Without a browser it prints a warning, and fails in CI.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/exec.ts';
import { findProgram, isProgram } from './lib/find-program.ts';

/** CHROME_PATH if it is set, else Chromium on PATH or in Debian's location. */
function findChromium(): string | undefined {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH) return isProgram(CHROME_PATH) ? CHROME_PATH : undefined;
  return findProgram('chromium');
}

const chromium = findChromium();
if (chromium === undefined) {
  const { CHROME_PATH, CI } = process.env;
  const where = CHROME_PATH ? 'CHROME_PATH names no program' : 'no chromium on PATH, CHROME_PATH is not set';
  const line = '!'.repeat(72);
  console.error(
    `\n${line}\n!! THE BROWSER TESTS DID NOT RUN: ${where}.\n!! Install Chromium (apt-get install chromium) or set CHROME_PATH.\n${line}\n`,
  );
  process.exitCode = CI ? 1 : 0;
} else {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', 'browser', ...process.argv.slice(2)];
  const env = { ...process.env, CHROME_PATH: chromium };
  spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
