import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildModules, findBlocks } from '../scripts/lib/examples.ts';
import { execBin, root } from '../scripts/lib/exec.ts';

/**
 * What tsc says about a Markdown text's examples. They are written below `reports` (git ignores it), inside the package,
 * so that they import `arango-services` by its name, through its exports, as built. Empty when all is well.
 */
async function typeCheck(file: string, markdown: string): Promise<string> {
  const folder = join(root, 'reports', 'examples', file);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const modules = [...buildModules(file, findBlocks(markdown)).values()];
  if (modules.length === 0) return '';
  const files = modules.map((_, index) => join(folder, `section-${index + 1}.ts`));
  await Promise.all(files.map((path, index) => writeFile(path, modules[index] ?? '')));
  const tsconfig = {
    extends: join(root, 'tsconfig.json'),
    files,
    include: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const { ok, output } = await execBin('typescript/bin/tsc', ['-p', folder, '--pretty', 'false']);
  return ok ? '' : output;
}

const fence = '```';

describe('examples of a Markdown text', () => {
  const block = (code: string, language = 'ts') => `${fence}${language}\n${code}\n${fence}\n`;

  test('are its ts blocks, with section and line; a block may say why it is not checked', () => {
    const text = `# A\n## One\n${block('a();')}text\n${block('b', 'sh')}## Two\n${block('// not checked: a sketch\nc')}${block('d();')}`;
    expect(findBlocks(text)).toEqual([
      { section: 'One', line: 4, code: 'a();' },
      { section: 'Two', line: 16, code: 'd();' },
    ]);
  });

  test('"not checked" without a reason is checked', () => {
    expect(findBlocks(block('// not checked:\nx'))).toHaveLength(1);
  });

  test('a heading inside a block starts no section', () => {
    expect(findBlocks(`## One\n${block('## not a heading', 'md')}${block('a')}`)[0]?.section).toBe('One');
  });

  test('later blocks of a section see the names of earlier ones, declare them again and import again', async () => {
    const first = block("import { isHttpError } from 'arango-services';\nconst a = isHttpError(1);");
    const second = block(
      "import {\n  isHttpError,\n  type HttpError,\n} from 'arango-services';\nconst b: boolean = a || isHttpError(2);\nlet e: HttpError;",
    );
    const third = block("const a = 'again';\nconst c: string = a;\nawait Promise.resolve(b);");
    expect(await typeCheck('sections.md', `## One\n${first}${second}${third}`)).toBe('');
  });

  test.each([
    ['a wrong type', "import { isHttpError } from 'arango-services';\nconst a: string = isHttpError(1);", 'TS2322'],
    ['a name that is not exported', "import { isHttpErrors } from 'arango-services';", 'TS2724'],
    ['a name of nobody', 'nobody();', 'TS2304'],
    ['a subpath that is not exported', "import * as x from 'arango-services/nowhere';", 'TS2307'],
  ])('%s is found', async (what, code, expected) => {
    expect(await typeCheck(`${what.replaceAll(' ', '-')}.md`, `## One\n${block(code)}`)).toContain(expected);
  });

  test('sections do not see each other', async () => {
    const text = `## One\n${block('const a = 1;')}## Two\n${block('console.log(a);')}`;
    expect(await typeCheck('two-sections.md', text)).toContain('TS2304');
  });
});

test.each(['README.md', 'CONTRIBUTING.md'])('the examples of %s hold', async (file) => {
  expect(await typeCheck(file, await readFile(join(root, file), 'utf8'))).toBe('');
});
