import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findDeadLinks, findMissingPlaces, listContent } from '../scripts/lib/content.ts';
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

/** The files of an example that one copies: programs and pipelines, without generated types. */
const sourcesOf = (name: string) =>
  globSync(`examples/${name}/{src/**/*.ts,.github/workflows/*.yaml,.gitlab-ci.yml}`, { cwd: root }).filter(
    (file) => !file.endsWith('.d.ts'),
  );

test.each([
  ['sidecar-service', 200],
  ['nest-service', 149],
  ['batch-job', 149],
  ['pipelines', 149],
])('the sources of the example %s have at most %i lines', (name, most) => {
  const sources = sourcesOf(name);
  expect(sources.length).toBeGreaterThan(1);
  expect(sources.flatMap((file) => read(file).trimEnd().split('\n')).length).toBeLessThanOrEqual(most);
});

test.each(globSync('examples/*/README.md', { cwd: root }))('%s is read in a minute', (file) => {
  const most = file.includes('sidecar-service') ? 24 : 16;
  expect(read(file).trimEnd().split('\n').length).toBeLessThanOrEqual(most);
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
