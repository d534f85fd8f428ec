import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changedFiles, isImported } from '../scripts/lib/changed-files.ts';
import { root } from '../scripts/lib/exec.ts';
import { reachedTests } from '../scripts/lib/reached-tests.ts';

// The tests that `npm test -- --changed` runs.

const files = new Map([
  ['src/a.ts', 'export const a = 1;\nexport interface A {}\n'],
  ['src/b.ts', "import { a } from './a.js';\nexport const b = a;\n"],
  ['src/c.ts', "export const load = () => import('./b.js');\n"],
  ['src/star.ts', 'export const star = 1;\n'],
  [
    'src/index.ts',
    "// The entry.\nexport type { A } from './a.js';\nexport { a as first, type A as B } from './a.js';\nexport * from './star.js';\n/** B. */\nexport {\n  b,\n} from './b.js';\n",
  ],
  ['src/outer.ts', "export * from './index.js';\n"],
  ['test/direct.test.ts', "import { a } from '../src/a.ts';\n"],
  ['test/renamed.test.ts', "import { first as other } from '../src/outer.ts';\n"],
  ['test/b.test.ts', "import { b } from '../src/index.ts';\n"],
  ['test/star.test.ts', "import { type A, star } from '../src/outer.ts';\n"],
  ['test/types.test.ts', "import type { A } from '../src/a.ts';\nimport { type B } from '../src/index.ts';\n"],
  ['test/whole.test.ts', "import * as all from '../src/index.ts';\n"],
  ['test/later.test.ts', "const { load } = await import('../src/c.ts');\n"],
  ['test/effect.test.ts', "import '../src/star.ts';\n"],
  ['test/support.ts', "import { b } from '../src/b.ts';\nexport const support = b;\n"],
  ['test/supported.test.ts', "import { support } from './support.ts';\n"],
]);

test.each([
  ['src/a.ts', ['b', 'direct', 'later', 'renamed', 'supported', 'whole']],
  ['src/b.ts', ['b', 'later', 'supported', 'whole']],
  ['src/c.ts', ['later']],
  ['src/star.ts', ['effect', 'star', 'whole']],
  ['src/index.ts', ['b', 'renamed', 'star', 'whole']],
  ['src/outer.ts', ['renamed', 'star']],
  ['test/support.ts', ['supported']],
  ['test/types.test.ts', ['types']],
])('a change of %s reaches the tests %j', (changed, names) => {
  expect(reachedTests(files, [changed])).toEqual(names.map((name) => `test/${name}.test.ts`));
});

test('a file of the analysis reaches the tests of the analysis and not those of plans; errors.ts reaches all tests', () => {
  const paths = globSync('{src,test,scripts}/**/*.{ts,tsx}', { cwd: root });
  const all = new Map(paths.map((path) => [path, readFileSync(root + path, 'utf8')]));
  const [filter, plan] = ['test/policy/analysis/resource-filter.test.ts', 'test/permissions/plan/every-order.test.ts'];
  const ofFile = reachedTests(all, ['src/policy/analysis/to-aql.ts']);
  expect(ofFile).toContain(filter);
  expect(ofFile).not.toContain(plan);
  expect(ofFile.length).toBeLessThan(20);
  expect(reachedTests(all, ['src/base/errors.ts'])).toEqual(expect.arrayContaining([filter, plan]));
  // Chosen by a condition of package.json's `imports`.
  const ofRuntime = reachedTests(all, ['src/client/connection/ky-runtime-node.ts']);
  expect(ofRuntime).toContain('test/client/connection/idle-timeout.test.ts');
});

test('a renamed file counts with both names, a new one of src or test with its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'changed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder });
  mkdirSync(join(folder, 'src'));
  for (const name of ['src/kept.ts', 'src/old.ts'])
    writeFileSync(join(folder, name), `export const name = '${name}';\n`);
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@test', 'commit', '--quiet', '--message', 'First');
  renameSync(join(folder, 'src/old.ts'), join(folder, 'src/moved.ts'));
  git('add', '.');
  for (const name of ['src/new.ts', 'new.md']) writeFileSync(join(folder, name), '');
  expect(changedFiles(folder, 'HEAD').sort()).toEqual(['src/moved.ts', 'src/new.ts', 'src/old.ts']);
});

test('a setup file is not looked for in imports, since the settings of Vitest load it for all tests', () => {
  const settings = readFileSync(join(root, 'vitest.config.ts'), 'utf8');
  const [setup = ''] = /test\/support\/[\w-]+\.ts/.exec(settings) ?? [];
  expect(isImported(setup, settings)).toBe(false);
  expect(isImported('test/support/server.ts', settings)).toBe(true);
  expect(isImported('package.json', settings)).toBe(false);
});
