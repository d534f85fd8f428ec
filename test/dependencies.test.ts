import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { manifest } from '../scripts/lib/package.ts';

const ranges = Object.entries(manifest.dependencies);

function installedVersion(folder: string): string {
  // The cast: every package that npm installs has a version.
  return (JSON.parse(readFileSync(`${root}node_modules/${folder}/package.json`, 'utf8')) as { version: string })
    .version;
}

// The project dependencies-oldest of vitest.config.ts replaces the installed release with the oldest.
test.each(ranges)('the tests run over the intended release of %s', async (name) => {
  const isOldest = (await import(name)) === (await import(`${name}-oldest`));
  expect(isOldest).toBe(process.env.DEPENDENCIES === 'oldest');
});

test.each(ranges)('the range of %s, %s, begins with the oldest tested release', (name, range) => {
  const oldest = installedVersion(`${name}-oldest`);
  expect(manifest.devDependencies[`${name}-oldest`]).toBe(`npm:${name}@${oldest}`);
  expect(range).toBe(`^${oldest}`);
});

test.each(ranges)(
  'the locked release of %s is not the oldest release of %s, and has the same major version',
  (name, range) => {
    const [oldest, installed] = [range.replace('^', ''), installedVersion(name)];
    expect(installed).not.toBe(oldest);
    expect(installed.split('.')[0]).toBe(oldest.split('.')[0]);
  },
);

test('SECURITY.md gives the reason for each dependency', () => {
  const rows = [...readFileSync(`${root}SECURITY.md`, 'utf8').matchAll(/^\| `([\w-]+)` \| .{20,} \|$/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(Object.keys(manifest.dependencies).sort());
});
