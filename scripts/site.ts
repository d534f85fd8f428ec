// Builds the site into site/dist: `npm run site`. `--base /docs/` if it does not stand at the root of its host,
// `--out folder` for another folder, `--origin https://example.org` for a sitemap, `--no-reference` leaves the reference
// out, which takes most of the time. `--check` builds into reports/site, without the reference, and tests it: names of
// test files as arguments only these.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/exec.ts';
import { siteBase, siteFolder } from './lib/tested-site.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: 'site/dist' },
    origin: { type: 'string' },
    'no-reference': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const withReference = !values.check && !values['no-reference'];
const base = values.check ? siteBase : values.base;
const out = values.check ? siteFolder : resolve(root, values.out);
if (!values.check && positionals.length > 0) throw new Error(`${positionals.join(' ')}: tests need --check`);
if (!/^\/(?:[^/]+\/)*$/.test(base)) throw new Error(`--base must begin and end with a slash, like /docs/, not ${base}`);

const folder = join(root, 'site');

/** Runs a program in the site's folder; ends this one with its exit code if it fails. */
function step(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status } = spawnSync(file, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) process.exit(status ?? 1);
}

/** True if node_modules hold what package-lock.json says: npm keeps a copy of it without the package itself. */
function isInstalled(): boolean {
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const packagesOf = (file: string): Record<string, { readonly version: string; readonly optional?: boolean }> =>
    JSON.parse(readFileSync(file, 'utf8')).packages;
  const present = packagesOf(installed);
  return Object.entries(packagesOf(join(folder, 'package-lock.json'))).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  );
}

if (!isInstalled()) step('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']);
if (withReference) step(process.execPath, [join(root, 'scripts/docs.ts')]);
step(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', '.', '--outDir', out], {
  SITE_BASE: base,
  SITE_REFERENCE: withReference ? 'yes' : 'no',
  ...(values.origin !== undefined && { SITE_ORIGIN: values.origin }),
});
if (values.check) {
  step(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.']);
  step(process.execPath, [join(root, 'scripts/browser-tests.ts'), 'site', ...positionals]);
}
