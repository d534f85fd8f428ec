import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { drawArchitecture } from '../scripts/lib/architecture-picture.ts';
import { bundleForBrowser, findUnwanted } from '../scripts/lib/bundle.ts';
import { root } from '../scripts/lib/exec.ts';
import {
  fileGraph,
  findCircles,
  type Import,
  readImports,
  roomGraph,
  specifiers,
  wingGraph,
} from '../scripts/lib/graph.ts';
import { readMarked } from '../scripts/lib/marked.ts';
import { readSubpaths } from '../scripts/lib/package.ts';
import { sourcesByMark } from '../scripts/lib/source-marks.ts';
import { formatWings, readWings } from '../scripts/lib/wings.ts';

/** Data flows one way: only files in `only` may import `to`, and no file in `never` may. */
type Rule = { readonly what: string; readonly to: RegExp } & ({ readonly only: RegExp } | { readonly never: RegExp });

const engine = /^src\/policy\/(?:(?:evaluate|explain|lint|model)\/|(?:index|public|pool\/pool-items)\.ts$)/;

const packageRules: readonly Rule[] = [
  { what: 'eventsource-parser only in stream/', to: /^eventsource-parser/, only: /^src\/client\/stream\// },
  { what: 'yaml only in permissions/', to: /^yaml$/, only: /^src\/permissions\// },
  { what: 'ky only in connection/', to: /^ky(?:\/|$)/, only: /^src\/client\/connection\// },
  { what: '@cfworker only in mock/openapi/', to: /^@cfworker\//, only: /^src\/mock\/openapi\// },
  { what: 'preact only in pages', to: /^preact(?:\/|$)/, only: /^src\/console\/page\// },
  { what: 'undici only in node/', to: /^undici(?:\/|$)/, only: /^src\/client\/node\// },
  { what: 'msw only in mock/adapters/msw', to: /^@?msw(?:\/|$)/, only: /^src\/mock\/adapters\/msw(?:\.ts$|\/)/ },
  { what: 'jose only in jwt/', to: /^jose(?:\/|$)/, only: /^src\/base\/jwt\// },
  // Importing all of jose adds decompression, which Next.js' edge runtime warns of, unless the bundler tree-shakes it.
  { what: 'jose by its subpaths', to: /^jose$/, only: /^$/ },
  {
    what: 'gRPC only in replica/, mock/adapters/grpc, and its messages in pool/',
    to: /^(?:@connectrpc|@bufbuild)\//,
    only: /^src\/(?:enforce\/replica|mock\/adapters\/grpc|policy\/pool)\//,
  },
  { what: 'connect only in replica/, mock/adapters/grpc', to: /^@connectrpc\//, never: /^src\/policy\/pool\// },
  {
    what: 'node: only in node/, replica/, console/server, mock/adapters/node, mock/adapters/grpc, command',
    to: /^node:/,
    only: /^src\/(?:tools\/command\/|console\/server\/|client\/node\/|enforce\/replica\/|mock\/adapters\/(?:node|grpc)\/)/,
  },
  // An import reads every export of the module, also the lazy ones that load all of undici: 40 ms of CPU time.
  { what: 'node:http by process.getBuiltinModule', to: /^node:https?$/, only: /^$/ },
  // 20 ms; the replica needs it for its first call.
  { what: 'node:http2 imported in replica/ only', to: /^node:http2$/, only: /^src\/enforce\/replica\// },
];
const graphRules: readonly Rule[] = [
  ...packageRules,
  {
    what: 'the engine of policy imports nothing outside itself but lib',
    to: /^(?!src\/(?:policy\/(?:(?:evaluate|explain|lint|model)\/|public\.ts)|base\/lib\/))/,
    never: engine,
  },
  {
    what: 'mock imports neither the client side nor the console',
    to: /^src\/(?:index\.ts|client\/|enforce\/|console\/)/,
    never: /^src\/mock\//,
  },
  { what: 'mock/adapters/msw is only an entry', to: /^src\/mock\/adapters\/msw(?:\.ts$|\/)/, only: /^$/ },
  {
    what: 'only tools/ and the console of a mock import mock/; other rooms of console/ its types and options',
    to: /^src\/mock\/(?!options\/|adapters\/node\/console-port\.ts)/,
    only: /^src\/(?:mock|console\/mock|tools)\//,
  },
  {
    what: "only the ways into the mock's console import it",
    to: /^src\/console\/mock\//,
    only: /^src\/(?:console\/mock|tools)\//,
  },
  { what: 'nothing outside command/ imports it', to: /^src\/tools\/command\//, only: /^src\/tools\/command\// },
];

/** The imports of wings without a permission in the table, and the permissions that no import uses. */
function differences(
  table: ReadonlyMap<string, ReadonlySet<string>>,
  graph: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const wings = new Set([...table.keys(), ...graph.keys()]);
  return [...wings].flatMap((wing) => {
    const [allowed, used] = [table.get(wing) ?? new Set<string>(), graph.get(wing) ?? new Set<string>()];
    return [
      ...[...used].filter((to) => !allowed.has(to)).map((to) => `${wing} imports ${to} without a permission`),
      ...[...allowed].filter((to) => !used.has(to)).map((to) => `${wing} may import ${to} and does not`),
    ];
  });
}

const broken = (rule: Rule, imports: readonly Import[]): string[] =>
  imports
    .filter(({ from, to }) => rule.to.test(to) && ('only' in rule ? !rule.only.test(from) : rule.never.test(from)))
    .map(({ from, to }) => `${from} imports ${to}`);

const sources = globSync('src/**/*.{ts,tsx}', { cwd: root });
const read = (file: string) => readFileSync(root + file, 'utf8');

/** The run-time imports (without types) of every source file. */
async function sourceImports(): Promise<Import[]> {
  const { metafile } = await build({
    entryPoints: sources,
    absWorkingDir: root,
    bundle: true,
    packages: 'external',
    external: ['#*'],
    format: 'esm',
    outdir: 'dist',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return Object.entries(metafile.inputs).flatMap(([from, { imports }]) =>
    imports.map(({ path: to }) => ({ from, to })),
  );
}

const marked = sourcesByMark();

/** The imports of a built file, by the mark that the build writes above the code of each source file. */
function builtImports(file: string): { sources: string[]; imports: Import[] } {
  const [, ...parts] = `\n${read(file)}`.split(/^\/\/(?=[\w-][\w./-]*$)/m);
  const sections = parts.map((part) => ({
    from: marked.get(part.slice(0, part.indexOf('\n'))) ?? 'no source',
    code: part,
  }));
  return {
    sources: sections.map(({ from }) => from),
    imports: sections.flatMap(({ from, code }) => specifiers(code).map((to) => ({ from, to }))),
  };
}

/** The writes of a file to its top-level names: `let` and `var`, and changes of a `const`'s content. */
function writtenState(code: string): string[] {
  const variables = code.match(/^(?:export )?(?:let|var)\b.*/gm) ?? [];
  const names = [...code.matchAll(/^(?:export )?const (\w+)/gm)].map(([, name = '']) => name);
  const writes = names.flatMap((name) => {
    const change = `\\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill)\\(`;
    const assignment = `(?:\\.\\w+|\\[[^\\]]*\\])+ (?:[-+*/|&?]{0,2}=(?![=>])|\\+\\+|--)`;
    return code.match(new RegExp(`(?<![\\w.])${name}(?:${change}|${assignment}).*`, 'gm')) ?? [];
  });
  return [...variables, ...writes];
}

/**
 * The one exception to "no state at module level": a WeakMap by instances. What it has of an instance belongs to that
 * instance, and goes with it; the cache of published keys stands there, because nothing is written on a client that may
 * be the caller's own.
 */
const besideInstances = { file: 'src/enforce/token/client-keys.ts', name: 'published' };

function isBesideInstances(file: string, line: string): boolean {
  const { name } = besideInstances;
  return file === besideInstances.file && line.startsWith(`${name}.set(`) && isWeakMap(read(file), name);
}

const isWeakMap = (code: string, name: string) =>
  new RegExp(`^const ${name} = (?:/\\* @__PURE__ \\*/ )?new WeakMap\\b`, 'm').test(code);

/** The files of dist that loading a built file loads, and the packages and `node:` modules. */
async function loadedBy(file: string, { dynamic }: { readonly dynamic: boolean }) {
  const { metafile } = await build({
    entryPoints: [file],
    absWorkingDir: root,
    bundle: true,
    packages: 'external',
    format: 'esm',
    treeShaking: false,
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const packages = new Set<string>();
  const files = new Set([file]);
  // Sets iterate over what is added meanwhile.
  for (const one of files) {
    for (const { path, kind, external } of metafile.inputs[one]?.imports ?? []) {
      if (dynamic || kind !== 'dynamic-import') (external ? packages : files).add(path);
    }
  }
  return { files: [...files], packages: [...packages].sort() };
}

describe('source', async () => {
  const imports = await sourceImports();

  test.each(graphRules)('$what', (rule) => {
    expect(broken(rule, imports)).toEqual([]);
  });

  test('source lines have at most 120 characters, comments and strings included', () => {
    const written = sources.filter((file) => !file.includes('/generated/'));
    const long = written.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) => ([...line].length > 120 ? `${file}:${index + 1}` : [])),
    );
    expect(long).toEqual([]);
  });

  test('policy imports no type from outside lib either', () => {
    const outside = readImports().filter(
      ({ from, to }) => engine.test(from) && !engine.test(to) && !to.startsWith('src/base/lib/'),
    );
    expect(outside).toEqual([]);
    const packages = sources
      .filter((file) => engine.test(file))
      .flatMap((file) => specifiers(read(file)).filter((to) => !to.startsWith('.')));
    expect(packages).toEqual([]);
  });

  test('wings import what the table of CONTRIBUTING.md says, all of it, types included', () => {
    const table = new Map(readWings().map(({ name, imports }) => [name, new Set(imports)]));
    expect(table.size).toBeGreaterThan(6);
    expect(differences(table, wingGraph(readImports()))).toEqual([]);
  });

  test('a wing imports only wings above it in that table', () => {
    const wings = readWings();
    const above = (at: number) => wings.slice(0, at).map(({ name }) => name);
    expect(
      wings.flatMap(({ name, imports }, at) =>
        imports.filter((used) => !above(at).includes(used)).map((used) => `${name} imports ${used}`),
      ),
    ).toEqual([]);
  });

  test('rooms form no circle, types included', () => {
    const graph = roomGraph(readImports());
    expect(graph.size).toBeGreaterThan(20);
    expect(findCircles(graph)).toEqual([]);
  });

  test('files form no circle, types and the files behind #runtime included', () => {
    const graph = fileGraph(readImports());
    expect(graph.get('src/client/connection/failure.ts')).toContain('src/client/connection/ky-runtime-node.ts');
    expect(findCircles(graph)).toEqual([]);
  });

  test('no two files share a name, so that quick-open tells them apart', () => {
    const names = sources.map((file) => basename(file).replace(/\.tsx?$/, '')).filter((name) => name !== 'index');
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  });

  test('no module-level state: nothing at the top of a file is assigned or written', () => {
    const found = sources.flatMap((file) =>
      writtenState(read(file))
        .filter((line) => !isBesideInstances(file, line))
        .map((line) => `${file}: ${line}`),
    );
    expect(found).toEqual([]);
  });
});

describe('built files', () => {
  const subpaths = readSubpaths();
  const built = globSync('dist/**/*.js', { cwd: root }).map((file) => builtImports(file));
  const imports = built.flatMap((file) => file.imports);

  test('are all listed by the source file that they come from', () => {
    expect(built.length).toBeGreaterThan(0);
    const known = new Set(sources);
    expect(built.filter((file) => !file.sources.every((name) => known.has(name)))).toEqual([]);
    expect(built.flatMap((file) => file.sources)).toEqual(expect.arrayContaining(['src/base/errors.ts']));
  });

  test.each(packageRules)('$what', (rule) => {
    expect(broken(rule, imports)).toEqual([]);
  });

  test.each(subpaths)('$specifier loads only what it may', async ({ specifier, file, peer, nodeOnly }) => {
    const area = specifier.split('/')[1] ?? 'main';
    const unwanted: RegExp[] = [];
    if (peer === undefined) unwanted.push(/^@?msw(?:\/|$)/, /^@cfworker\//);
    if (area !== 'node') unwanted.push(/^undici(?:\/|$)/);
    // Where Node loads an optional peer, an error can say what to install.
    if (!nodeOnly) unwanted.push(peer === undefined ? /^node:/ : /^node:(?!module$)/);
    if (area === 'mock' || area === 'policy') unwanted.push(/^ky(?:\/|$)/);
    if (area === 'policy') unwanted.push(/./);
    const { packages } = await loadedBy(file, { dynamic: true });
    expect(packages.filter((name) => unwanted.some((pattern) => pattern.test(name)))).toEqual([]);
  });

  // 60 ms of CPU time; most programs only write logs, and plans may come from elsewhere.
  test.each(['decisions', 'permissions'])('importing %s loads neither zod nor yaml', async (name) => {
    const file = `dist/${name}/index.js`;
    const packages = /^(?:zod|yaml)(?:\/|$)/;
    const loadedLater = await loadedBy(file, { dynamic: true });
    // Lines of logs are read without zod, files of permissions with both, later.
    expect(loadedLater.packages.some((one) => packages.test(one))).toBe(name === 'permissions');
    const loadedAtOnce = await loadedBy(file, { dynamic: false });
    expect(loadedAtOnce.packages.filter((one) => packages.test(one))).toEqual([]);
  });

  // A file takes half a millisecond of CPU time to open, whatever its size: in 33 files the import took 50 ms, in 12 of
  // the same size 34.
  test('importing permissions loads at most 12 files, and its matchers neither plans nor the analysis', async () => {
    const permissions = await loadedBy('dist/permissions/index.js', { dynamic: false });
    expect(permissions.files.length).toBeLessThanOrEqual(12);
    const { files } = await loadedBy('dist/permissions/matchers/index.js', { dynamic: false });
    const sources = files.flatMap((file) => [...builtImports(file).sources]);
    expect(sources).toContain('src/policy/analysis/read-evaluator.ts');
    expect(sources).not.toContain('src/policy/analysis/compare.ts');
    expect(sources).not.toContain('src/permissions/plan/plan.ts');
  });

  test('nothing that ./mock loads holds any of the console', async () => {
    const { metafile } = await build({
      entryPoints: ['dist/mock/index.js', 'dist/mock/adapters/msw.js'],
      absWorkingDir: root,
      bundle: true,
      packages: 'external',
      format: 'esm',
      outdir: 'unused',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    const held = Object.keys(metafile.inputs).filter((file) =>
      builtImports(file).sources.some((source) => source.startsWith('src/console/')),
    );
    expect(held).toEqual([]);
    const files = globSync('dist/**/*.js', { cwd: root });
    expect(files.filter((file) => read(file).includes('//mock-api\n'))).toHaveLength(1);
  });

  test('the bundle of the main entry contains no msw, no jose verification and no node:', async () => {
    const bundle = await bundleForBrowser("import * as all from './dist/index.js'; globalThis.all = all;", root);
    expect(bundle.modules).toContain('dist/index.js');
    expect(findUnwanted(bundle)).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  test('has the picture and the table of today; npm run graph writes them', async () => {
    expect(read('docs/architecture.svg')).toBe(drawArchitecture(wingGraph(readImports())));
    expect(await readMarked('wings', 'graph', 'docs/architecture.md')).toBe(formatWings());
  });

  test('names files and folders that exist', () => {
    const named = [...read('docs/architecture.md').matchAll(/`([\w-]+(?:\/[\w.-]+)+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(`${root}src/${path}`) && !existsSync(root + path))).toEqual([]);
  });
});

describe('these checks can fail', () => {
  test('reports a bundle with verification, msw or node: by name', async () => {
    const bundle = await bundleForBrowser(
      "import { jwtVerify } from 'jose'; import { http } from 'msw/http'; import fs from 'node:fs'; globalThis.all = [jwtVerify, http, fs];",
      root,
    );
    expect(findUnwanted(bundle).join('\n')).toMatch(/imports node:fs.*holds msw.*holds jose's verification/s);
  });

  test.each([
    ["import ky from 'ky';", ['ky']],
    ["import {\n  type A,\n  b,\n} from './b.js';\nexport * from './c.js';", ['./b.js', './c.js']],
    ["import 'msw';\nconst load = () => import('jose');", ['msw', 'jose']],
    ["export type Effect = 'Allow';\nexport const separator = ':';", []],
  ])('finds the imports of %j', (code, expected) => {
    expect(specifiers(code)).toEqual(expected);
  });

  test('finds a circle of rooms, even one of types only', () => {
    const imports = ['lib/a > lib/b', 'lib/b > lib/a', 'x.ts > lib/a', 'lib/b > mock/c', 'mock/c > x.ts'];
    const graph = roomGraph(
      imports.map((line) => {
        const [from = '', to = ''] = line.split(' > ').map((file) => `src/${file.replace(/\.ts$/, '')}.ts`);
        return { from, to };
      }),
    );
    expect(findCircles(graph)).toEqual([['src/lib/', 'src/mock/', 'src/x.ts']]);
  });

  test('names an import without a permission, and a permission without an import', () => {
    const table = new Map([['mock', new Set(['base', 'policy'])]]);
    const graph = new Map([['mock', new Set(['base', 'console'])]]);
    expect(differences(table, graph)).toEqual([
      'mock imports console without a permission',
      'mock may import policy and does not',
    ]);
  });

  test('finds a circle of folders that no file and no inner room forms', () => {
    const imports = [
      { from: 'src/mock/a/x.ts', to: 'src/console/b/x.ts' },
      { from: 'src/console/c/x.ts', to: 'src/mock/d/x.ts' },
    ];
    expect(findCircles(roomGraph(imports))).toEqual([]);
    expect(findCircles(wingGraph(imports))).toEqual([['console', 'mock']]);
  });

  test.each([
    ['let calls = 0;', 1],
    ['const cache = new Map();\nfunction f() {\n  cache.set(1, 2);\n}', 1],
    ['export const counts = { calls: 0 };\nconst f = () => {\n  counts.calls += 1;\n};', 1],
    ['const list: string[] = [];\nconst f = () => list.push("x");', 1],
    ['const known = new Set([1]);\nconst f = () => known.has(1) && known.size === 1;', 0],
    ['function f() {\n  let i = 0;\n  const m = new Map();\n  m.set(1, i);\n}', 0],
  ])('finds the state of %j', (code, expected) => {
    expect(writtenState(code)).toHaveLength(expected);
  });

  test('allows only the named WeakMap beside instances', () => {
    expect([isWeakMap('const a = new WeakMap<object, 1>();', 'a'), isWeakMap('const a = new Map();', 'a')]).toEqual([
      true,
      false,
    ]);
    const { file } = besideInstances;
    expect(isBesideInstances(file, 'published.set(a, b);')).toBe(true);
    expect(isBesideInstances('src/enforce/token/verify.ts', 'published.set(a, b);')).toBe(false);
    expect(isBesideInstances(file, 'others.set(a, b);')).toBe(false);
  });

  test.each([
    ['src/client/route.ts', 'ky'],
    ['src/client/connection/connection.ts', 'undici'],
    ['src/mock/index.ts', 'msw/http'],
    ['src/mock/kit/hosted/endpoint.ts', '@cfworker/json-schema'],
    ['src/client/client.ts', 'jose/jws/compact/sign'],
    ['src/base/jwt/sign.ts', 'jose'],
    ['src/enforce/token/verify.ts', 'jose/errors'],
    ['src/mock/index.ts', 'node:net'],
    ['src/mock/adapters/node/http1.ts', 'node:http'],
    ['src/mock/adapters/node/http2.ts', 'node:http2'],
    ['src/policy/index.ts', 'src/base/errors.ts'],
    ['src/policy/index.ts', 'zod/mini'],
    ['src/mock/index.ts', 'src/client/connection/headers.ts'],
    ['src/mock/index.ts', 'src/client/services/authentication/authentication-client.ts'],
    ['src/mock/index.ts', 'src/mock/adapters/msw.ts'],
    ['src/mock/adapters/node/listen.ts', '@connectrpc/connect'],
    ['src/policy/pool/pool-service.ts', '@connectrpc/connect-node'],
    ['src/mock/services/admit-to-pool.ts', '@bufbuild/protobuf'],
    ['src/index.ts', 'src/mock/index.ts'],
    ['src/tools/command/mock/seed.ts', 'yaml'],
    ['src/mock/index.ts', 'src/console/answers/console-findings.ts'],
    ['src/console/page/main.ts', 'src/mock/index.ts'],
  ])('%s may not import %s', (from, to) => {
    expect(graphRules.filter((rule) => broken(rule, [{ from, to }]).length > 0)).toHaveLength(1);
  });

  test.each([
    ['src/client/connection/connection.ts', 'ky'],
    ['src/client/node/transport/undici.ts', 'undici/lib/dispatcher/pool.js'],
    ['src/mock/adapters/msw.ts', 'msw/http'],
    ['src/mock/openapi/schemas.ts', '@cfworker/json-schema'],
    ['src/base/jwt/compact.ts', 'jose/jws/compact/verify'],
    ['src/mock/adapters/node/listen.ts', 'node:net'],
    ['src/enforce/replica/http2-connection.ts', 'node:http2'],
    ['src/mock/adapters/grpc/server.ts', '@connectrpc/connect'],
    ['src/policy/pool/codec.ts', '@bufbuild/protobuf/wire'],
    ['src/permissions/format/yaml.ts', 'yaml'],
    ['src/mock/services/authorization.ts', 'src/policy/index.ts'],
    ['src/console/mock/mock-api.ts', 'src/mock/mock.ts'],
    ['src/mock/index.ts', 'src/base/errors.ts'],
  ])('%s may import %s', (from, to) => {
    expect(graphRules.filter((rule) => broken(rule, [{ from, to }]).length > 0)).toEqual([]);
  });
});
