import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findDeadLinks, findMissingPlaces, isPage, linkRepository, listContent } from '../scripts/lib/content.ts';
import { ExampleProgram } from '../scripts/lib/example-program.ts';
import { buildDocModules, buildModules, declareExports, findBlocks } from '../scripts/lib/examples.ts';
import { root } from '../scripts/lib/exec.ts';
import { readMarked } from '../scripts/lib/marked.ts';
import { faultSource, formatFaults, formatSettingFlags } from '../scripts/lib/mock-tables.ts';
import { readSubpaths, repository } from '../scripts/lib/package.ts';
import { measurePages, parsePages } from '../scripts/lib/pages.ts';
import { buildRunning, runModules } from '../scripts/lib/running-examples.ts';
import { firstSubpaths, measureSizes, parseSizes } from '../scripts/lib/sizes.ts';
import { formatSpeed } from '../scripts/lib/speed-table.ts';
import { slug } from '../site/lib/slug.ts';
import { isRelease } from './support/thorough.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const documentProgram = new ExampleProgram('documents');
const modulesOf = (file: string, markdown: string) => [...buildModules(file, findBlocks(markdown)).values()];
const modulesIn = (file: string) => modulesOf(file, read(file));
/** The errors of tsc in a Markdown text's examples. */
const typeCheck = (markdown: string) => documentProgram.add(modulesOf('a.md', markdown));

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

  test('a block with "not checked" but no reason is checked', () => {
    expect(findBlocks(block('// not checked:\nx'))).toHaveLength(1);
  });

  test('a heading inside a block starts no section', () => {
    expect(findBlocks(`## One\n${block('## not a heading', 'md')}${block('a')}`)[0]?.section).toBe('One');
  });

  describe('later blocks of a section', () => {
    const first = block("import { isHttpError } from 'arango-services';\nconst a = isHttpError(1);");
    const second = block(
      "import {\n  isHttpError,\n  type HttpError,\n} from 'arango-services';\nconst b: boolean = a || isHttpError(2);\nlet e: HttpError;",
    );
    const third = block("const a = 'again';\nconst c: string = a;\nawait Promise.resolve(b);");
    const said = typeCheck(`## One\n${first}${second}${third}`);
    test('see the names of earlier ones, and may declare and import them again', async () => {
      expect(await said()).toBe('');
    });
  });

  const wrong: readonly (readonly [what: string, code: string, expected: string])[] = [
    ['a wrong type', "import { isHttpError } from 'arango-services';\nconst a: string = isHttpError(1);", 'TS2322'],
    ['a name that is not exported', "import { isHttpErrors } from 'arango-services';", 'TS2724'],
    ['an unknown name', 'missing();', 'TS2304'],
    ['a subpath that is not exported', "import * as x from 'arango-services/nowhere';", 'TS2307'],
  ];
  for (const [what, code, expected] of wrong) {
    const said = typeCheck(`## One\n${block(code)}`);
    test(`reports ${what}`, async () => {
      expect(await said()).toContain(expected);
    });
  }

  const two = typeCheck(`## One\n${block('const a = 1;')}## Two\n${block('console.log(a);')}`);
  test('sections do not see each other', async () => {
    expect(await two()).toContain('TS2304');
  });
});

const documents = [
  'README.md',
  ...globSync('*.md', { cwd: root })
    .filter((file) => file !== 'README.md')
    .sort(),
  // The API reference is generated from docstrings, which are checked in the sources.
  ...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/api/**'] }).sort(),
];

const examples = documents.map((file) => [file, modulesIn(file)] as const).filter(([, modules]) => modules.length > 0);

test('README and the docs have examples', () => {
  expect(examples.map(([file]) => file)).toContain('README.md');
  const inDocs = examples.filter(([file]) => file.startsWith('docs/'));
  expect(inDocs.flatMap(([, modules]) => modules).length).toBeGreaterThan(10);
});

for (const [file, modules] of examples) {
  const said = documentProgram.add(modules);
  test(`the examples of ${file} hold`, async () => {
    expect(await said()).toBe('');
  });
}

describe('examples that run', () => {
  // README runs against the mock of the command (first-page.test.ts).
  const pages = documents.filter((file) => file !== 'README.md');
  const modules = pages.flatMap((file) => buildRunning(file, findBlocks(read(file))));
  // Several processes, since some modules wait for seconds, beside the tests before them.
  const groups = [0, 1, 2].map((group) => modules.filter((_, index) => index % 3 === group));
  let outputs: Promise<readonly string[]>;
  beforeAll(() => {
    outputs = Promise.all(groups.map((group, index) => runModules(`docs-${index}`, group)));
  });

  const build = (text: string) => buildRunning('a.md', findBlocks(text));
  const block = (code: string) => `${fence}ts\n${code}\n${fence}\n`;

  test('are the blocks that begin with "// runs"', () => {
    expect(build(`## One\n${block('// runs\na();')}${block('// runs now\nb();')}${block('c();\n// runs')}`)).toEqual([
      '{ // a.md:3\n// runs\na();\n}\nexport {};\n',
    ]);
  });

  test('fail with file and line if they throw or give another value', async () => {
    const failing = [
      "throw new Error('on purpose');",
      '1 + 1; // → 3',
      "({ a: [1] }); // → { a: ['1'] }",
      '1 + 1; // → 2',
    ];
    const modules = failing.flatMap((code) => build(`## One\n${block(`// runs\n${code}`)}`));
    const output = await runModules('failing', modules);
    expect(output).toContain('on purpose');
    expect(output).toContain('a.md:3: 1 + 1 is not 3 but 2');
    expect(output).toContain('is not {"a":["1"]} but {"a":[1]}');
    expect(output).not.toContain('section-4.ts');
  });

  test('run', async () => {
    expect(modules.length).toBeGreaterThan(1);
    expect(await outputs).toEqual(groups.map(() => ''));
  });
});

describe('the format of the docs', () => {
  test('a client that fetches keys to verify tokens has credentials: without them the keys are a 401', () => {
    const codes = [
      ...documents.flatMap((file) => findBlocks(read(file)).map(({ line, code }) => `${file}:${line}\n${code}`)),
      ...globSync('src/**/*.ts', { cwd: root }).flatMap((file) => buildDocModules(file, read(file))),
    ];
    const fetching = codes.filter((code) => /(?:createVerifier|verifyToken)\(.*\{ client \}/.test(code));
    expect(fetching.length).toBeGreaterThan(3);
    expect(fetching.filter((code) => code.includes('createClient({ url') && !code.includes('credentials'))).toEqual([]);
  });

  test('the drawn pictures of README have a text, and colours for a dark page', () => {
    const pictures = [...read('README.md').matchAll(/!\[[^\]]+\]\((\S+\.svg)\)/g)].map(([, file = '']) => read(file));
    expect(pictures.length).toBeGreaterThan(0);
    for (const picture of pictures) {
      expect(picture).toMatch(/<svg.* role="img" aria-labelledby="title".*<title id="title">\w/s);
      expect(picture).toContain('@media (prefers-color-scheme: dark)');
      // npm's page stays light when the reader's system is dark.
      expect(picture).toContain('<path class="page"');
    }
  });

  test('README has at most 170 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(170);
  });

  // Tables and the output of commands may be wider, and so may the line that says why a block is not checked.
  test.each(documents)('prose and code of %s are at most 120 characters wide', (file) => {
    const wide = read(file)
      .replace(/^```text\n[^`]*```$/gm, '')
      .split('\n')
      .filter((line) => line.length > 120 && !/^\||^\/\/ not checked/.test(line));
    expect(wide).toEqual([]);
  });

  // Bundling all subpaths and pages takes seconds; check:package holds the limits.
  test.runIf(isRelease)('The sizes of docs/measured.md are within 10% of those of the built files', async () => {
    const measured = await measureSizes();
    const said = parseSizes(await readMarked('sizes', 'sizes'));
    const far = [...measured].filter(([specifier, kB]) => Math.abs((said.get(specifier) ?? 0) / kB - 1) > 0.1);
    expect(far, 'npm run sizes writes them').toEqual([]);
    expect([...said.keys()].sort()).toEqual([...measured.keys()].sort());
    const onFirstPage = parseSizes(await readMarked('subpaths', 'sizes', 'README.md'));
    expect([...onFirstPage]).toEqual(firstSubpaths.map((name) => [name, Math.round(said.get(name) ?? 0)]));
  });

  test.runIf(isRelease)('The sizes of whole pages are within 3% of those of the built files', async () => {
    const said = parsePages(await readMarked('pages', 'sizes', 'docs/guides/browsers.md'));
    const [bearer = 0] = said.get('… with a bearer token') ?? [];
    expect(read('README.md')).toContain(`takes ${Math.round(bearer)} kB`);
    const measured = await measurePages(['rolldown', 'esbuild']);
    expect([...said.keys()]).toEqual([...measured.keys()]);
    // Rounded to 0.1 kB.
    const isFar = (page: string, bytes: number, at: number) =>
      Math.abs((said.get(page)?.[at] ?? 0) * 1000 - bytes) > 50 + bytes * 0.03;
    const far = [...measured].filter(([page, all]) => all.some((bytes, at) => isFar(page, bytes, at)));
    expect(far, 'npm run sizes writes them').toEqual([]);
  });

  test('The tables of docs/mock.md equal the descriptions in the source', async () => {
    const [faults, flags] = [formatFaults(readFileSync(join(root, faultSource), 'utf8')), formatSettingFlags()];
    expect(faults).toContain('| `grpcCode` | `stream` | The gRPC code that the stream breaks with, from 1 to 16');
    expect(faults).not.toContain('|  |\n');
    expect(await readMarked('faults', 'tables', 'docs/mock.md'), 'npm run tables writes it').toBe(faults);
    expect(await readMarked('flags', 'tables', 'docs/mock.md'), 'npm run tables writes it').toBe(flags);
  });

  test('The ratios of docs/measured.md equal those of bench/RESULTS.md', async () => {
    const written = formatSpeed(readFileSync(join(root, 'bench/RESULTS.md'), 'utf8'));
    expect(written).not.toContain('undefined');
    expect(await readMarked('speed', 'bench')).toBe(written);
  });
});

/** The anchors of a Markdown text's headings, as GitHub makes them. */
const anchorsOf = (markdown: string) => [...markdown.matchAll(/^#+ +(.*)$/gm)].map(([, title = '']) => slug(title));

// Pages for those who change the package, and its contracts: in a clone and on the site, not in the tarball.
const ofClone =
  /^(?:CHANGELOG|CONTRIBUTING|docs\/(?:architecture|mock|route|wire|decisions\/.*)|examples\/(?!README|sidecar-service|permissions).*)\b/;
const linking = [...documents, 'llms.txt', ...globSync('examples/{README.md,*/README.md}', { cwd: root }).sort()];

test.each(linking)('the paths that %s names exist', (file) => {
  const named = read(file).matchAll(/(?:`|\s)((?:src|test|scripts|docs|bench|proto)\/[\w./*-]+[\w*])(?=[`\s.,;)])/g);
  // Generated paths need not exist.
  const paths = [...named].map(([, path = '']) => path).filter((path) => path !== 'docs/api');
  const folders = [root, join(root, dirname(file))];
  expect(paths.filter((path) => folders.every((cwd) => globSync(path, { cwd }).length === 0))).toEqual([]);
});

test('llms.txt names every page', () => {
  const named = readFileSync(join(root, 'llms.txt'), 'utf8');
  const pages = linking.filter((file) => file !== 'llms.txt' && !ofClone.test(file));
  expect(pages.filter((file) => !named.includes(`](${file})`) && !named.includes(`\`${file}\``))).toEqual([]);
});

test.each(linking)('the links of %s resolve', (file) => {
  const text = read(file);
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(root, file) : join(root, dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  });
  expect(broken).toEqual([]);
});

describe('the pages of the tarball', () => {
  let packed: ReadonlySet<string>;
  beforeAll(async () => {
    packed = new Set((await listContent()).files.map(({ path }) => path));
  });

  test.each(linking.filter((file) => !ofClone.test(file)))('%s is packed', (file) => {
    expect(packed).toContain(file);
  });

  test('the paths and links of each packed page lead to packed files', () => {
    const pages = [...packed].filter((path) => isPage.test(path));
    expect(pages).toContain('examples/sidecar-service/README.md');
    const missing = pages.flatMap((page) => [
      ...findDeadLinks(page, linkRepository(page, read(page), packed), packed).map((link) => `${page}: ${link}`),
      ...findMissingPlaces(page, read(page), packed).map((path) => `${page}: ${path}`),
    ]);
    expect(missing).toEqual([]);
  });

  test('links to what is not packed lead to the repository, and pictures are loaded from there', () => {
    const text =
      '![p](../console.png) [a](../wire.md#pool) [b](errors.md) [c](https://example.com) [d](nowhere.md) [e](#f)';
    expect(linkRepository('docs/guides/a.md', text, new Set(['docs/guides/errors.md']))).toBe(
      text
        .replace('../wire.md', `${repository}/blob/main/docs/wire.md`)
        .replace('../console.png', `${repository}/raw/main/docs/console.png`),
    );
  });

  test('reports a link to a file that is not packed', () => {
    const text = '[a](guides/b.md#c) ![d](e.svg) [f](#g) [h](https://example.com) [i](../README.md) [j](../k.md)';
    expect(findDeadLinks('docs/a.md', text, new Set(['docs/guides/b.md', 'README.md']))).toEqual(['e.svg', '../k.md']);
  });
});

describe('the examples of docstrings', () => {
  const doc = (...lines: string[]) => `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\nexport const a = 1;\n`;

  test('are the ts blocks after @example, with their line', () => {
    const source =
      doc('What it is.', '@example', `${fence}ts`, 'a();', '', 'b();', fence, '@throws Error') + doc('No example.');
    expect(buildDocModules('a.ts', source)).toEqual(['// a.ts:5\na();\n\nb();\nexport {};\n']);
    const two = doc(
      '@example',
      `${fence}ts`,
      'a();',
      fence,
      '@example',
      `${fence}ts`,
      '// not checked: a sketch',
      fence,
    );
    expect(buildDocModules('a.ts', two)).toHaveLength(1);
    expect(() => buildDocModules('a.ts', doc('@example', 'a();'))).toThrow('line 2: an @example without a ts block');
  });

  const program = new ExampleProgram('docstrings');
  let sample: () => Promise<string>;
  let sources: () => Promise<string>;
  beforeAll(async () => {
    const codes = [
      "export const { body } = await client.route('x').get();\nisHttpError(body);",
      'const user: number = (await client.authentication.identity()).user;',
      'body;',
    ];
    const source = codes.map((code) => doc('@example', `${fence}ts`, ...code.split('\n'), fence)).join('');
    sample = program.add([await declareExports(readSubpaths()), ...buildDocModules('doc', source)]);
    const modules = globSync('src/**/*.ts', { cwd: root }).flatMap((file) => buildDocModules(file, read(file)));
    expect(modules.length).toBeGreaterThan(20);
    sources = program.add(modules);
  });

  test('are type-checked with the exported names in scope, each on its own', async () => {
    const said = await sample();
    expect(said).toMatch(/section-3\.ts\(.*TS2322/);
    expect(said).toMatch(/section-4\.ts\(.*TS2304/);
    expect(said).not.toMatch(/section-[12]\.ts/);
  });

  test('hold', async () => {
    expect(await sources()).toBe('');
  });
});
