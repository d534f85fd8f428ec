// Tests in browsers: `npm run test:browser -- tabs`, all kinds without a name. `browser`: the main entry in headless
// Chromium. `console`: the console's page, and `tabs`: sessions in tabs, views and uploads, both in Chromium, Firefox and
// WebKitGTK. `site`, which has to be named: the site that `npm run site -- --check` builds, in Chromium, with
// SITE_BROWSERS=all in all three. A missing browser causes a warning, and a failure in CI. Pictures and figures stay in
// reports/console; ROUNDS is the number of rounds of each kind of session, default 30.
import { spawnSync } from 'node:child_process';
import { browsers } from '../test/console/drive/browsers.ts';
import { root } from './lib/exec.ts';
import { findChromium } from './lib/find-chromium.ts';
import { reportNotTried } from './lib/not-tried.ts';

const unnamed = ['browser', 'console', 'tabs'];
const kinds = [...unnamed, 'site'];
const named = process.argv.slice(2).filter((name) => kinds.includes(name));
const rest = process.argv.slice(2).filter((name) => !kinds.includes(name));

function run(kind: string, env: NodeJS.ProcessEnv): void {
  const args = [`${root}node_modules/vitest/vitest.mjs`, 'run', '--project', kind, ...rest];
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exitCode = status ?? 1;
}

for (const kind of named.length > 0 ? named : unnamed) {
  if (kind === 'browser' || (kind === 'site' && process.env.SITE_BROWSERS !== 'all')) {
    const chromium = findChromium(`THE TESTS OF ${kind.toUpperCase()}`);
    if (chromium !== undefined) run(kind, { ...process.env, CHROME_PATH: chromium });
    continue;
  }
  for (const { name } of browsers.filter((browser) => !browser.isInstalled()))
    reportNotTried(`${kind} NOT TRIED in ${name}, which is not installed.`);
  run(kind, process.env);
}
