import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMissingPlaces } from '../scripts/lib/content.ts';
import { findProjects } from '../scripts/lib/downstream.ts';
import { root } from '../scripts/lib/exec.ts';
import { manifest } from '../scripts/lib/package.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
/** The lines of code without their indentation, so that a part of a function can be shown on its own. */
const linesOf = (code: string) => code.replace(/^ +/gm, '').trim();

describe('the parts of examples that pages show', () => {
  const parts = globSync('docs/**/*.md', { cwd: root, exclude: ['docs/api/**'] }).flatMap((page) =>
    [...read(page).matchAll(/^```ts\n\/\/ not checked: a part of (\S+)\n(.*?)^```$/gms)].map(
      ([, file = '', code = '']) => ({ page, file, code: linesOf(code) }),
    ),
  );

  test('are found', () => {
    expect(parts.length).toBeGreaterThan(8);
  });

  test.each(parts)('$page: $code', ({ file, code }) => {
    expect(linesOf(read(file))).toContain(code);
  });
});

describe('an example is short enough to be read before it is copied', () => {
  const tests = ['test/**', 'test_*.py', '*.config.ts', '**/*.d.ts'];
  const linesOfSource = (project: string) =>
    globSync('{*,{src,app}/**/*,.gitlab-ci,.github/workflows/*}.{ts,tsx,svelte,py,yml,yaml}', {
      cwd: join(root, project),
      exclude: tests,
    })
      .flatMap((file) => read(join(project, file)).split('\n'))
      .filter((line) => line.trim() !== '').length;
  // react-app is a whole page, sidecar-service a whole service.
  const limits = new Map([['sidecar-service', 200]]);
  const short = findProjects().filter((project) => !/react-app/.test(project));

  test.each(short)('the source of %s has at most 150 lines, or what it is granted', (project) => {
    expect(linesOfSource(project)).toBeLessThanOrEqual(limits.get(basename(project)) ?? 150);
  });

  test('the lines are those of programs, not of their tests', () => {
    expect(linesOfSource('examples/worker')).toBeGreaterThan(60);
    expect(linesOfSource('examples/python-service')).toBeGreaterThan(90);
  });

  const brief = new Set(['batch-job', 'next-app', 'nest-service', 'pipelines', 'python-service', 'worker']);
  const readmes = globSync('*/README.md', { cwd: join(root, 'examples') }).map((file) => {
    const project = dirname(file);
    return { project, most: project === 'sidecar-service' ? 24 : brief.has(project) ? 10 : 16 };
  });

  test.each(readmes)('the README of $project has at most $most lines', ({ project, most }) => {
    expect(read(`examples/${project}/README.md`).trimEnd().split('\n').length).toBeLessThanOrEqual(most);
  });
});

test.each(findProjects())('%s asks for the version of package.json', (project) => {
  // The cast: package.json of an example names what it depends on.
  const { dependencies, devDependencies } = JSON.parse(read(`${project}/package.json`)) as Record<string, object>;
  expect({ ...dependencies, ...devDependencies }).toHaveProperty('arango-services', `^${manifest.version}`);
});

test('a version of the changelog fits on one screen', () => {
  const [, ...versions] = read('CHANGELOG.md').split(/^## /m);
  expect(versions.length).toBeGreaterThan(1);
  for (const version of versions) expect(version.split('\n').length).toBeLessThanOrEqual(45);
});

describe('places that pages name', () => {
  const packed = new Set(['docs/a.md', 'docs/guides/b.md', 'examples/x/src/a.ts', 'SECURITY.md']);

  test.each(['docs/a.md', 'src/a.ts', 'examples/x', 'examples/*/src/*.ts', 'SECURITY.md'])('%s is packed', (path) => {
    expect(findMissingPlaces('examples/x/README.md', `see \`${path}\``, packed)).toEqual([]);
  });

  test.each(['docs/c.md', 'src/b.ts', 'test/vectors/*.json', 'examples/y', 'RESULTS.md'])(
    '%s is not packed',
    (path) => {
      expect(findMissingPlaces('examples/x/README.md', `see \`${path}\``, packed)).toEqual([path]);
    },
  );
});

describe('the tables of tasks in docs/README.md', () => {
  const tasks = read('docs/README.md').matchAll(/^\*\*(.+)\*\*\n\n((?:\|.*\n)+)/gm);
  const guides = [...tasks].flatMap(([, task = '', table = '']) =>
    [...table.matchAll(/\]\((guides\/[\w-]+\.md)\)/g)].map(([, file = '']) => [task, `docs/${file}`] as const),
  );

  test('list every guide, under one of five tasks', () => {
    expect([...new Set(guides.map(([, file]) => file))].sort()).toEqual(
      globSync('docs/guides/*.md', { cwd: root }).sort(),
    );
    expect([...new Set(guides.map(([task]) => task))]).toEqual([
      'Call',
      'Guard and decide',
      'Permissions',
      'Test',
      'Operate',
    ]);
  });

  test.each(guides)('task %s: the first paragraph of %s names it', (task, file) => {
    const [, paragraph = ''] = read(file).split('\n\n');
    expect(paragraph).toMatch(new RegExp(task.replace(' and ', '|'), 'i'));
  });
});
