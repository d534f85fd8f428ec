import { describe, expect, test, vi } from 'vitest';
import { Checks } from '../scripts/lib/checks.ts';
import { findContentFaults, requiredFiles } from '../scripts/lib/content.ts';
import { findChangelogFaults, findOriginFaults, findUncommitted, findVersionFaults } from '../scripts/lib/release.ts';
import { type Candidate, checkRelease } from '../scripts/lib/release-checks.ts';
import { findSbomFaults } from '../scripts/lib/sbom.ts';

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

test('a tagged version is checked by its own tag', () => {
  expect(findVersionFaults('1.0.0', ['v0.9.0', 'v1.0.0'], 'v1.0.0')).toEqual([]);
  expect(findVersionFaults('1.0.0', ['v1.0.0'], 'v1.0.1')).toEqual(['package.json has 1.0.0, and the tag is v1.0.1']);
  expect(findVersionFaults('1.0.0', ['v1.0.0', 'v2.0.0'], 'v1.0.0')).toEqual([expect.stringContaining('2.0.0')]);
});

const origin = {
  repository: { url: 'git+https://github.com/acme/arango-services.git' },
  homepage: 'https://github.com/acme/arango-services#readme',
  bugs: 'https://github.com/acme/arango-services/issues',
};

describe('the origin in package.json', () => {
  test('has repository, homepage and bugs', () => {
    expect(findOriginFaults(origin)).toEqual([]);
    expect(findOriginFaults({})).toEqual(
      ['repository', 'homepage', 'bugs'].map((name) => `package.json has no \`${name}\``),
    );
  });

  test('has no placeholder of the owner', () => {
    const repository = { url: 'git+https://github.com/OWNER/arango-services.git' };
    expect(findOriginFaults({ ...origin, repository })).toEqual([
      '`repository` in package.json has the placeholder OWNER',
    ]);
  });

  test('is the repository that builds the release', () => {
    expect(findOriginFaults(origin, 'acme/arango-services')).toEqual([]);
    expect(findOriginFaults(origin, 'acme/fork')).toEqual([expect.stringContaining('this is acme/fork')]);
  });
});

describe('npm run release', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-21\n\n### Added\n\n- All.\n';
  const files = requiredFiles().map((path) => ({ path, size: 1 }));
  const candidate: Candidate = {
    manifest: { version: '0.2.0', ...origin },
    today: '2026-11-21',
    tags: async () => ['v0.1.0'],
    status: async () => '',
    changelog: async () => changelog,
    check: async () => {},
    content: async () => ({ files, size: 1 }),
  };

  /** The problems that a release prints; none if it passes. */
  async function findProblems(changes: Partial<Candidate>): Promise<string> {
    vi.spyOn(console, 'log').mockReturnValue();
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const before = process.exitCode;
    process.exitCode = undefined;
    const checks = new Checks('release');
    const passed = await checkRelease({ ...candidate, ...changes }, checks);
    checks.end();
    const problems = printed.mock.calls.join('\n');
    const { exitCode } = process;
    process.exitCode = before;
    vi.restoreAllMocks();
    expect(passed).toBe(problems === '');
    expect(exitCode).toBe(passed ? undefined : 1);
    return problems;
  }

  test('passes a clean, announced, checked commit', async () => {
    expect(await findProblems({})).toBe('');
  });

  const missing = () => Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
  test.each<[what: string, changes: Partial<Candidate>, problem: string]>([
    ['a tagged version', { tags: async () => ['v0.2.0'] }, 'version 0.2.0: 0.2.0 is not higher than 0.2.0'],
    ['a dirty tree', { status: async () => ' M src/index.ts\n' }, 'clean tree: not committed: M src/index.ts'],
    ['a missing changelog', { changelog: missing }, 'changelog: CHANGELOG.md cannot be read (ENOENT)'],
    ['an unreadable changelog', { changelog: async () => '\0' }, 'changelog: CHANGELOG.md does not begin with'],
    ['a missing changelog entry', { today: '2026-11-20' }, 'changelog: 2026-11-21 is not a day up to today'],
    ['no repository', { manifest: { ...origin, version: '0.2.0', repository: {} } }, 'origin: package.json has no'],
    ['another repository', { building: 'acme/fork' }, 'origin: `repository` in package.json is acme/arango-services'],
    ['a red check', { check: () => Promise.reject(new Error('lint failed')) }, 'npm run check: Error: lint failed'],
    ['a size over its limit', { content: async () => ({ files, size: 9e9 }) }, 'tarball: it packs to 9000000000 bytes'],
    ['another tag', { checked: 'v0.3.0' }, 'version 0.2.0: package.json has 0.2.0, and the tag is v0.3.0'],
  ])('refuses %s', async (_what, changes, problem) => {
    const problems = await findProblems(changes);
    expect(problems.split('\n- ').slice(1)).toEqual([expect.stringContaining(problem)]);
  });

  test('checks the code only after the quick checks, and not again for a tag whose code is checked', async () => {
    const check = vi.fn(async () => {});
    await findProblems({ check, status: async () => ' M a\n' });
    await findProblems({ check, checked: 'v0.2.0', tags: async () => ['v0.2.0'] });
    expect(check).not.toHaveBeenCalled();
    await findProblems({ check });
    expect(check).toHaveBeenCalledOnce();
  });
});

describe('an SBOM', () => {
  const packed = { name: 'a', version: '1.0.0', dependencies: { ky: '^2.0.0', zod: '^4.0.0' } };
  const sbom = (name: string, ...names: string[]) => ({
    metadata: { component: { name, version: '1.0.0' } },
    components: names.map((one) => ({ name: one, version: '2.0.0' })),
  });

  test('is of the package, and names each dependency', () => {
    expect(findSbomFaults(sbom('a', 'ky', 'zod'), packed)).toEqual([]);
    expect(findSbomFaults(sbom('a', 'ky'), packed)).toEqual(['it lacks zod']);
    expect(findSbomFaults(sbom('b', 'ky', 'zod'), packed)).toEqual([expect.stringContaining('not of a 1.0.0')]);
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
    'examples/permissions/.github/CODEOWNERS',
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

  test('has at most 772 kB packed and 2.325 MB unpacked', () => {
    expect(find(fine, 465_000, 772_000)).toEqual([]);
    expect(find(fine, 1, 772_001)).toEqual(['it packs to 772001 bytes, more than 772000']);
    expect(find(fine, 465_001)).toEqual(['it unpacks to 2325005 bytes, more than 2325000']);
  });
});
