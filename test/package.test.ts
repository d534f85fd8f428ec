import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { experimental, manifest, readSubpaths } from '../scripts/lib/package.ts';

test('typesVersions names the types of every subpath, for resolutions that do not read exports', () => {
  const subpaths = Object.entries(manifest.exports).flatMap(([name, target]) =>
    name === '.' || typeof target === 'string' ? [] : [[name.replace('./', ''), [target.types]]],
  );
  expect(manifest.typesVersions).toEqual({ '*': Object.fromEntries(subpaths) });
});

test('there are at most 24 subpaths, and docs/versions.md says of each whether it is stable or experimental', () => {
  const specifiers = readSubpaths().map(({ specifier }) => specifier);
  expect(specifiers.length).toBeLessThanOrEqual(24);
  const listed = (state: string): string[] => {
    const [, cell = ''] = readFileSync(`${root}docs/versions.md`, 'utf8').match(`\\| ${state} \\|(.*?)\\|`) ?? [];
    const names = [...cell.matchAll(/`(\/[^`]+)`/g)].map(([, name]) => `arango-services${name}`);
    return cell.includes('the main entry') ? ['arango-services', ...names] : names;
  };
  expect(listed('experimental').sort()).toEqual([...experimental].sort());
  expect([...listed('stable'), ...listed('experimental')].sort()).toEqual(specifiers.sort());
});

test.each([
  'types',
  'calls',
  "the guard's refusals",
  'commands, flags and variables',
  'errors',
  'exit codes',
  '`--json`',
  'JSON Schemas',
  'decision log',
  'file of permissions',
  "mock's answers",
])('docs/versions.md says what 1.x may not break of: %s', (subject) => {
  const [, section = ''] = readFileSync(`${root}docs/versions.md`, 'utf8').split('\n## What 1.x may not break\n');
  const rows = [...(section.split('\n## ')[0]?.matchAll(/^\| (.*?) \| .{30,} \|$/gm) ?? [])].map(([, what]) => what);
  expect(rows).toContainEqual(expect.stringContaining(subject));
});
