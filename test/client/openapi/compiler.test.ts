import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execBin, root } from '../../../scripts/lib/exec.ts';
import { readGenerated, writeCalls } from './generated-calls.ts';

const github = createRequire(import.meta.url).resolve('@octokit/openapi-types/types.d.ts');
const documents = ['piccolo-admin', 'mlserver-data-plane', 'backstage-catalog'];
const flags =
  '--ignoreConfig --noEmit --strict --target es2023 --module nodenext --skipLibCheck --allowImportingTsExtensions';

let folder: string;
// Below the clone, so that the compiler finds openapi-fetch.
beforeAll(async () => {
  folder = await mkdtemp(join(root, 'node_modules/.cache-types-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Compiles modules together, which costs one start of the compiler. */
async function compileAll(codes: Readonly<Record<string, string>>): Promise<{ ok: boolean; output: string }> {
  for (const [name, code] of Object.entries(codes)) await writeFile(join(folder, name), code);
  return execBin('typescript/bin/tsc', [...flags.split(' '), '--extendedDiagnostics', ...Object.keys(codes)], folder);
}

/** Compiles a module and returns the number of types that it instantiates; throws for a compile error. */
async function compile(name: string, code: string): Promise<number> {
  const { ok, output } = await compileAll({ [name]: code });
  if (!ok) throw new Error(output.slice(0, 2_000));
  return Number(/Instantiations:\s+(\d+)/.exec(output)?.[1]);
}

/** The compile errors of each of these modules, with the lines that belong to them. */
async function errorsOf(codes: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, readonly string[]>> {
  const { output } = await compileAll(codes);
  const errors = output.split(/^(?=\S+\.mts\(.*?error TS)/m).filter((text) => text.includes('error TS'));
  return new Map(Object.keys(codes).map((name) => [name, errors.filter((text) => text.startsWith(`${name}(`))]));
}

const openapi = `${root}dist/openapi/index.js`;

describe('the compiler', () => {
  test.each([
    ...documents.map((name) => [name, `${root}test/client/openapi/documents/${name}.d.ts`, 1_000] as const),
    ['GitHub, 50 operations', github, 50] as const,
  ])('instantiates at most 1.2 times the types of openapi-fetch: %s', async (_, file, most) => {
    const found = readGenerated(file).slice(0, most);
    expect(found.length).toBeGreaterThan(14);
    const { ours, theirs } = writeCalls(found, file, openapi);
    const [own, other] = [await compile('ours.mts', ours), await compile('theirs.mts', theirs)];
    expect(own / other).toBeLessThan(1.2);
  });

  // Which takes less than 3 s of a core that does nothing else; the count is the same on a busy one.
  test('instantiates at most 600 types for each of 500 operations of a document', async () => {
    const found = readGenerated(github).slice(0, 500);
    expect(found).toHaveLength(500);
    const { ours } = writeCalls(found, github, openapi);
    const instantiations = await compile('many.mts', ours);
    expect(instantiations / found.length).toBeLessThan(600);
  });
});

describe('a compile error names the path', () => {
  const head = `
    import type { TypedRoute } from '${openapi}';
    import type { paths } from '${root}test/client/openapi/documents/orders.d.ts';
    declare const orders: TypedRoute<paths>;
  `;
  const calls = [
    ['an unknown path', `orders.get('/order/{id}', { path: { id: 7 } })`, '/order/{id}'],
    ['missing options', `orders.get('/orders/{id}')`, '/orders/{id}'],
    ['a missing parameter', `orders.get('/orders/{id}', { path: {} })`, '/orders/{id}'],
    ['a wrong parameter', `orders.get('/orders/{id}', { path: { id: '7' } })`, '/orders/{id}'],
    ['a wrong query', `orders.get('/orders', { query: { limit: 'many' } })`, '/orders'],
    ['a misspelt query', `orders.get('/orders', { query: { limt: 5 } })`, '/orders'],
    ['a wrong body', `orders.post('/orders', { body: { total: 'much' } })`, '/orders'],
    ['a missing body', `orders.post('/orders')`, '/orders'],
  ] as const;
  const fileOf = (name: string) => `${name.replaceAll(' ', '-')}.mts`;
  let errors: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    errors = await errorsOf(Object.fromEntries(calls.map(([name, call]) => [fileOf(name), `${head}await ${call};\n`])));
  });

  test.each(calls)('%s', (name, _call, path) => {
    const found = errors.get(fileOf(name)) ?? [];
    expect(found).toHaveLength(1);
    // The misspelt field is named by another line of the same message.
    expect(found.join('').replace(/^\S+\.mts.*?error TS\d+: /, '')).toContain(`"${path}"`);
  });
});

describe('a path that the document renames breaks the compile', () => {
  const renamed = readFileSync(`${root}test/client/openapi/documents/orders.d.ts`, 'utf8').replace(
    '"/orders/{id}": {',
    '"/purchases/{id}": {',
  );
  const order = `{ id: 7, total: 1, state: 'open' as const }`;
  const document = { paths: { '/orders/{id}': {} } };
  const uses = [
    ['of the client', 'openapi', `typed<paths>(null as never).get('/orders/{id}', { path: { id: 7 } });`],
    [
      'of the mock',
      'mock',
      `(await createMock()).service<paths>('shop', { '/orders/{id}': { get: () => ({ body: ${order} }) } });`,
    ],
    ['of the guard', 'guard', `guardOperation<paths>(null as never, ${JSON.stringify(document)});`],
    [
      'behind the guard',
      'guard',
      `const access = await guardOperation<paths>(null as never, null as never)(null as never);
      if (access.operation?.path === '/orders/{id}') console.log(access);`,
    ],
  ] as const;
  const fileOf = (name: string, when: string) => `${when}-${name.replaceAll(' ', '-')}.mts`;
  let errors: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    await writeFile(join(folder, 'renamed.d.ts'), renamed);
    const codes = uses.flatMap(([name, entry, code]) => {
      const imported = { openapi: 'typed', mock: 'createMock', guard: 'guardOperation' }[entry];
      const head = `import { ${imported} } from '${root}dist/${entry}/index.js';\n`;
      const types = (file: string) => `import type { paths } from '${file}';\n`;
      const before = code.replace(JSON.stringify(document), 'null as never');
      return [
        [fileOf(name, 'before'), head + types(`${root}test/client/openapi/documents/orders.d.ts`) + before],
        [fileOf(name, 'after'), head + types('./renamed.d.ts') + code],
      ];
    });
    errors = await errorsOf(Object.fromEntries(codes));
  });

  test.each(uses)('%s', (name) => {
    expect(errors.get(fileOf(name, 'before'))).toEqual([]);
    const after = errors.get(fileOf(name, 'after'))?.join('') ?? '';
    expect(after).toMatch(/error TS/);
    expect(after).toContain('/orders/{id}');
  });
});
