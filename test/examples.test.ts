import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findDeadLinks, findMissingPlaces, listContent } from '../scripts/lib/content.ts';
import { findProjects } from '../scripts/lib/downstream.ts';
import { root } from '../scripts/lib/exec.ts';

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

test('the sources of sidecar-service, without generated types, have at most 200 lines', () => {
  const sources = globSync('examples/sidecar-service/src/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.d.ts'),
  );
  expect(sources.map((file) => posix.basename(file)).sort()).toContain('service.ts');
  const lines = sources.flatMap((file) => read(file).trimEnd().split('\n'));
  expect(lines.length).toBeLessThanOrEqual(200);
});

describe('an example is short enough to be read before it is copied', () => {
  const tests = ['test/**', 'test_*.py', '*.config.ts', '**/*.d.ts'];
  const linesOfSource = (project: string) =>
    globSync('{*,{src,app}/**/*}.{ts,tsx,svelte,py}', { cwd: join(root, project), exclude: tests })
      .flatMap((file) => read(join(project, file)).split('\n'))
      .filter((line) => line.trim() !== '').length;
  // sidecar-service has its own limit above; react-app is a whole page.
  const short = findProjects().filter((project) => !/sidecar-service|react-app/.test(project));

  test.each(short)('the source of %s has at most 150 lines', (project) => {
    expect(linesOfSource(project)).toBeLessThanOrEqual(150);
  });

  test('the lines are those of programs, not of their tests', () => {
    expect(linesOfSource('examples/worker')).toBeGreaterThan(60);
    expect(linesOfSource('examples/python-service')).toBeGreaterThan(90);
  });

  test.each(['next-app', 'python-service', 'worker'])('README of %s has at most twelve lines', (project) => {
    expect(read(`examples/${project}/README.md`).trimEnd().split('\n').length).toBeLessThanOrEqual(12);
  });
});

describe('places that pages name', () => {
  const packed = new Set(['docs/a.md', 'docs/guides/b.md', 'examples/x/src/a.ts', 'SECURITY.md']);

  test.each(['docs/a.md', 'src/a.ts', 'examples/x', 'examples/*/src/*.ts', 'SECURITY.md'])('%s is packed', (path) => {
    expect(findMissingPlaces('examples/x/README.md', `see \`${path}\``, packed)).toEqual([]);
  });

  test.each(['docs/c.md', 'src/b.ts', 'test/vectors/*.json', 'examples/y', 'RESULTS.md'])('%s is not', (path) => {
    expect(findMissingPlaces('examples/x/README.md', `see \`${path}\``, packed)).toEqual([path]);
  });

  test('are in the tarball, also as links', async () => {
    const content = new Set((await listContent()).files.map(({ path }) => path));
    const pages = [...content].filter((path) => /\.md$|^llms\.txt$/.test(path));
    expect(pages).toContain('examples/sidecar-service/README.md');
    const missing = pages.flatMap((page) => [
      ...findDeadLinks(page, read(page), content).map((link) => `${page}: ${link}`),
      ...findMissingPlaces(page, read(page), content).map((path) => `${page}: ${path}`),
    ]);
    expect(missing).toEqual([]);
  });
});

describe('the guides of each task', () => {
  const tasks = read('docs/README.md').matchAll(/^\*\*(.+)\*\*\n\n((?:\|.*\n)+)/gm);
  const guides = [...tasks].flatMap(([, task = '', table = '']) =>
    [...table.matchAll(/\]\((guides\/[\w-]+\.md)\)/g)].map(([, file = '']) => [task, `docs/${file}`] as const),
  );

  test('are all there', () => {
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

  test.each(guides)('%s: the first paragraph of %s says so', (task, file) => {
    const [, paragraph = ''] = read(file).split('\n\n');
    expect(paragraph).toMatch(new RegExp(task.replace(' and ', '|'), 'i'));
  });
});
