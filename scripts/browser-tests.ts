// Runs the browser tests in headless Chromium. Without a browser it prints a warning, and fails in CI.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/exec.ts';
import { findChromium } from './lib/find-chromium.ts';

const chromium = findChromium('THE BROWSER TESTS');
if (chromium !== undefined) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', 'browser', ...process.argv.slice(2)];
  const env = { ...process.env, CHROME_PATH: chromium };
  spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
