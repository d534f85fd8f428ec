// Checks a release (`npm run release -- --dry-run`): version, changelog, a clean tree, the content of the tarball, and
// `npm run check`. Without --dry-run it then tags the commit and publishes. Exits with 1 and the problems otherwise.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Checks } from './lib/checks.ts';
import { findContentFaults, listContent } from './lib/content.ts';
import { exec, root } from './lib/exec.ts';
import { manifest } from './lib/package.ts';
import { findChangelogFaults, findUncommitted, findVersionFaults } from './lib/release.ts';

/** Returns a program's output. Rejects with it if the program fails. */
async function run(file: string, ...args: string[]): Promise<string> {
  const { ok, output, stdout } = await exec(file, args);
  if (!ok) throw new Error(output);
  return stdout;
}

const unknown = process.argv.slice(2).filter((argument) => argument !== '--dry-run');
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}; --dry-run is the only option`);
const dryRun = process.argv.includes('--dry-run');
const { version } = manifest;
const today = new Date().toISOString().slice(0, 10);

const checks = new Checks('release');
await checks.run(`version ${version}`, async () => findVersionFaults(version, (await run('git', 'tag')).split('\n')));
await checks.run('changelog', async () =>
  findChangelogFaults(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version, today),
);
await checks.run('clean tree', async () => findUncommitted(await run('git', 'status', '--porcelain')));
await checks.run('npm run check', async () => {
  await run('npm', 'run', 'check');
  return [];
});
// After the check, which builds.
await checks.run('content of the tarball', async () => findContentFaults(await listContent()));
checks.end();

if (process.exitCode === undefined) {
  const steps = [
    ['git', 'tag', '--annotate', `v${version}`, '--message', version],
    ['npm', 'publish'],
  ] as const;
  for (const [file, ...args] of steps) {
    console.log(`${dryRun ? 'would run' : 'runs'}: ${[file, ...args].join(' ')}`);
    if (!dryRun) console.log(await run(file, ...args));
  }
}
