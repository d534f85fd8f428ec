import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exec, root } from '../scripts/lib/exec.ts';

// The lists of CONTRIBUTING.md and docs/decisions that a program can compare with the code.

const read = (file: string) => readFileSync(root + file, 'utf8');
const contributing = read('CONTRIBUTING.md');
const decisions = globSync('docs/decisions/*.md', { cwd: root });
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, one = '']) => one);

describe('scripts', () => {
  // The cast: npm's own format.
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };

  test('are those of package.json', () => {
    const named = found(contributing, /[`^\n]npm run ([a-z][a-z:]*)\b/g);
    expect(named.length).toBeGreaterThan(20);
    expect([...new Set(named)].filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test('are at most 26, so that a newcomer reads the list', () => {
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(26);
  });

  test('are all described, or part of one that is', () => {
    const parts = Object.values(scripts).join(' ');
    const missing = Object.keys(scripts).filter(
      (name) => !new RegExp(`\`npm (?:run )?${name}\\b|^npm ${name} `, 'm').test(contributing) && !parts.includes(name),
    );
    expect(missing).toEqual([]);
  });
});

test('the example of a first change applies to the sources', async () => {
  const [, diff = ''] = /^```diff\n([^`]*(?:`[^`]+`[^`]*)*?)\n```$/m.exec(contributing) ?? [];
  expect(diff).toContain('+++ b/src/client/connection/prepared-call.ts');
  const folder = await mkdtemp(join(tmpdir(), 'first-change-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'example.diff'), `${diff}\n`);
  expect(await exec('git', ['apply', '--check', '--unidiff-zero', join(folder, 'example.diff')])).toMatchObject({
    output: '',
    ok: true,
  });
});

test('npm test ends where Vite cannot load modules', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'with#'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(root, 'scripts/before-tests.ts'), join(folder, 'scripts/before-tests.ts'));
  await cp(join(root, 'scripts/lib/exec.ts'), join(folder, 'scripts/lib/exec.ts'));
  const refused = await exec(process.execPath, [join(folder, 'scripts/before-tests.ts')]);
  expect(refused).toMatchObject({ ok: false, output: expect.stringContaining('Vite cannot load modules') });
  const fine = await exec(process.execPath, [join(root, 'scripts/before-tests.ts')]);
  expect(fine).toMatchObject({ ok: true, output: '' });
});

test('the projects of vitest are those of vitest.config.ts', () => {
  const [, listed = ''] = /has a project\s+for each way to run tests \(([^)]*)\)/.exec(contributing) ?? [];
  const config = read('vitest.config.ts') + read('test/browser/project.ts');
  const names = found(config, /\bname: '([\w-]+)'/g);
  const versions = found(config.slice(0, config.indexOf('const oldest')), /'(undici-\w+)'/g);
  expect(listed.split(/,\s+/).sort()).toEqual([...names, ...versions, 'jsdom', 'happy-dom'].sort());
});

test('the exception to "no state at module level" is the one that the architecture test allows', () => {
  const [, file = ''] = /except one WeakMap keyed by instances\s+\(`([^`]+)`\)/.exec(contributing) ?? [];
  expect(read('test/architecture.test.ts')).toContain(`const besideInstances = { file: '${file}'`);
});

test.each(['CONTRIBUTING.md', ...decisions])('files and folders that %s names exist', (page) => {
  const paths = found(read(page), /`((?:src|test|scripts|docs|bench|examples)\/[\w./-]+)`/g);
  expect(paths.filter((path) => !existsSync(root + path) && path !== 'docs/api')).toEqual([]);
});

describe('the table of closures and classes', () => {
  const code = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n');
  const rows = [...read('docs/decisions/closures-and-classes.md').matchAll(/^\| .* \| (.*) \| (.*) \|$/gm)].slice(1);

  test.each(rows.map(([, form = '', examples = '']) => [form, found(examples, /`(\w+)`/g)] as const))(
    '%s: %j',
    (form, names) => {
      const isClass = form.startsWith('class');
      const declared = (name: string) =>
        new RegExp(isClass ? `^export class ${name}\\b` : `^export (?:async )?function ${name}\\b`, 'm').test(code);
      expect(names.length).toBeGreaterThan(2);
      expect(names.filter((name) => !declared(name))).toEqual([]);
    },
  );

  test('has no exception: what is private is private at run time', () => {
    expect(code.match(/^\s+private .*|\((?:private|public|readonly) \w+:/gm) ?? []).toEqual([]);
  });
});
