// Releases a commit (`npm run release`): checks the version, package.json, the changelog, that the tree is clean, the
// code (`npm run check`) and the tarball, then tags the commit and pushes the tag, which .github/workflows/release.yml
// publishes. With `--dry-run` it only checks. `--checked <tag>` is for that workflow, whose other jobs have checked the
// code. Exits with 1 and the problems otherwise.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Checks } from './lib/checks.ts';
import { listContent } from './lib/content.ts';
import { root, run } from './lib/exec.ts';
import { manifest } from './lib/package.ts';
import { checkRelease } from './lib/release-checks.ts';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, checked: { type: 'string' } } });
const { 'dry-run': dryRun = false, checked } = values;

const checks = new Checks('release');
const passed = await checkRelease(
  {
    manifest,
    today: new Date().toISOString().slice(0, 10),
    checked,
    building: process.env.GITHUB_REPOSITORY,
    tags: async () => (await run('git', ['tag'])).trim().split('\n'),
    status: () => run('git', ['status', '--porcelain']),
    changelog: () => readFile(join(root, 'CHANGELOG.md'), 'utf8'),
    check: () => run('npm', ['run', 'check']),
    content: listContent,
  },
  checks,
);
checks.end();

if (passed && checked === undefined) {
  const tag = `v${manifest.version}`;
  const steps = [
    ['git', 'tag', '--annotate', tag, '--message', manifest.version],
    ['git', 'push', 'origin', tag],
  ] as const;
  for (const [file, ...args] of steps) {
    console.log(`${dryRun ? 'would run' : 'runs'}: ${[file, ...args].join(' ')}`);
    if (!dryRun) console.log(await run(file, args));
  }
}
