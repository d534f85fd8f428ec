import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { browsers } from '../../test/console/drive/browsers.ts';
import { root } from './exec.ts';

/** Runs a vitest project that drives browsers. A missing browser causes a warning, and a failure in CI. */
export function runInBrowsers(project: string, subject: string): void {
  const line = '!'.repeat(72);
  for (const { name } of browsers.filter((browser) => !browser.isInstalled())) {
    console.error(`${line}\n!! ${subject} NOT TRIED in ${name}, which is not installed.\n${line}`);
    if (process.env.CI) process.exitCode = 1;
  }
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', project, ...process.argv.slice(2)];
  spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }).on('exit', (code) => {
    if (code !== 0) process.exitCode = code ?? 1;
  });
}
