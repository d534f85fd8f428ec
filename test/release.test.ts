import { describe, expect, test } from 'vitest';
import { findContentFaults } from '../scripts/lib/content.ts';
import { findChangelogFaults, findUncommitted, findVersionFaults } from '../scripts/lib/release.ts';

describe('a version', () => {
  test.each([
    ['0.1.0', []],
    ['0.2.0', ['v0.1.0', 'v0.1.9', 'nightly']],
    ['0.10.0', ['v0.9.0']],
    ['1.0.0', ['v1.0.0-beta.9']],
    ['1.0.0-beta.10', ['v1.0.0-beta.9', 'v0.9.0']],
  ])('%s may follow %j', (version, tags) => {
    expect(findVersionFaults(version, tags)).toEqual([]);
  });

  test.each([
    ['0.1.0', ['v0.1.0'], 'higher than 0.1.0'],
    ['0.9.0', ['v0.10.0', 'v0.2.0'], 'higher than 0.10.0'],
    ['1.0.0-beta.1', ['v1.0.0'], 'higher than 1.0.0'],
    ['1.0', [], 'no version'],
    ['v1.0.0', [], 'no version'],
  ])('%s may not follow %j', (version, tags, why) => {
    expect(findVersionFaults(version, tags)).toEqual([expect.stringContaining(why)]);
  });
});

describe('a changelog', () => {
  const changelog = (newest: string, unreleased = '') =>
    `# Changelog\n\n## [Unreleased]\n${unreleased}\n${newest}\n## [0.1.0] - 2026-01-01\n\n### Added\n\n- All.\n`;
  const find = (text: string, version = '0.2.0') => findChangelogFaults(text, version, '2026-11-21');

  test('announces the version', () => {
    expect(find(changelog('## [0.2.0] - 2026-11-21\n\n### Fixed\n\n- One.\n'))).toEqual([]);
    expect(find(changelog(''), '0.1.0')).toEqual([]);
  });

  test.each([
    ['another version', changelog(''), 'is not the newest section'],
    ['a future day', changelog('## [0.2.0] - 2026-11-22\n\n### Fixed\n\n- One.\n'), '2026-11-22 is not a day'],
    [
      'a day that does not exist',
      changelog('## [0.2.0] - 2026-02-30\n\n### Fixed\n\n- One.\n'),
      '2026-02-30 is not a day',
    ],
    ['no list', changelog('## [0.2.0] - 2026-11-21\n\nMuch.\n'), 'has no list'],
    ['unreleased changes', changelog('## [0.2.0] - 2026-11-21\n\n### Fixed\n\n- One.\n', '\n- Two.\n'), '[Unreleased]'],
    ['no [Unreleased] section', '# Changelog\n\n## [0.2.0] - 2026-11-21\n', 'does not begin'],
  ])('has a problem: %s', (_what, text, why) => {
    expect(find(text)).toEqual([expect.stringContaining(why)]);
  });
});

test('names uncommitted changes', () => {
  expect(findUncommitted('')).toEqual([]);
  expect(findUncommitted(' M src/a.ts\n?? b.ts\n')).toEqual(['not committed: M src/a.ts', 'not committed: ?? b.ts']);
});

describe('the content of the tarball', () => {
  const fine = [
    'package.json',
    'README.md',
    'dist/index.js',
    'dist/mock/index.d.ts',
    'examples/permissions/.github/workflows/permissions.yaml',
  ];
  const find = (paths: readonly string[], size = 1, packed = 1) =>
    findContentFaults({ files: paths.map((path) => ({ path, size })), size: packed }, [
      'package.json',
      'dist/index.js',
    ]);

  test('matches the list', () => {
    expect(find(fine)).toEqual([]);
  });

  test.each([
    'dist/index.js.map',
    'src/index.ts',
    'dist/index.test.ts',
    '.env',
    'dist/.env',
    'docs/decisions/ky.md',
    'docs/api/index.md',
    'a.tgz',
    'examples/sidecar-service/platform.token',
    'examples/sidecar-service/platform.env',
    'examples/react-app/dist/index.js',
    'examples/jest/node_modules/jest/index.js',
    'examples/jest/package-lock.json',
  ])('must not contain %s', (path) => {
    expect(find([...fine, path])).toEqual([`${path} is not on the list`]);
  });

  test('must contain every file that package.json names', () => {
    expect(find(fine.slice(0, 2))).toEqual(['dist/index.js is missing']);
  });

  test('has at most 810 kB packed and 2.44 MB unpacked', () => {
    expect(find(fine, 488_000, 810_000)).toEqual([]);
    expect(find(fine, 1, 810_001)).toEqual(['it packs to 810001 bytes, more than 810000']);
    expect(find(fine, 488_001)).toEqual(['it unpacks to 2440005 bytes, more than 2440000']);
  });
});
