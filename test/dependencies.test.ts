import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { manifest } from '../scripts/lib/package.ts';

const ranges = Object.entries(manifest.dependencies);

function installedVersion(folder: string): string {
  // The cast: npm installs no package without a version.
  return (JSON.parse(readFileSync(`${root}node_modules/${folder}/package.json`, 'utf8')) as { version: string })
    .version;
}

// The project dependencies-oldest of vitest.config.ts puts the oldest release in the place of the installed one.
test.each(ranges)('the tests run over the release of %s that they are meant to run over', async (name) => {
  const isOldest = (await import(name)) === (await import(`${name}-oldest`));
  expect(isOldest).toBe(process.env.DEPENDENCIES === 'oldest');
});

test.each(ranges)('the range of %s, %s, begins with the oldest release that is tested', (name, range) => {
  const oldest = installedVersion(`${name}-oldest`);
  expect(manifest.devDependencies[`${name}-oldest`]).toBe(`npm:${name}@${oldest}`);
  expect(range).toBe(`^${oldest}`);
});

test.each(ranges)('the release of %s that the lock holds is another one within %s', (name, range) => {
  const [oldest, installed] = [range.replace('^', ''), installedVersion(name)];
  expect(installed).not.toBe(oldest);
  expect(installed.split('.')[0]).toBe(oldest.split('.')[0]);
});
