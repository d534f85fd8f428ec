import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createReader, findHomes, findUnexported } from '../scripts/lib/declarations.ts';
import { parseStatements, resolveTypes } from '../scripts/lib/declared.ts';
import { root } from '../scripts/lib/exec.ts';
import { compiledTypes } from '../scripts/lib/join-types.ts';
import { experimental, readSubpaths } from '../scripts/lib/package.ts';

const subpaths = readSubpaths().map(({ specifier, file }) => ({
  specifier,
  types: compiledTypes(file),
  joined: file.replace(/\.js$/, '.d.ts'),
}));

const reader = createReader();

// Overloads of a function are exported once each. Rolldown declares some names as `name$1`, and exports them as `name`.
const namesOf = (entry: string) =>
  [...new Set(reader.exportedBy(entry).map(({ name }) => name.replace(/\$\d+$/, '')))].sort();

describe('the types that ship', () => {
  const entries = subpaths.map(({ types }) => types);
  test.each(subpaths)('$specifier names no type that no subpath exports', ({ types }) => {
    expect(findUnexported(types, entries, reader)).toEqual([]);
  });

  test.each(subpaths)('$specifier loads the subpaths that export the types that it leads to', ({ types, joined }) => {
    const loaded = new Set([joined]);
    // A set is iterated with what is added meanwhile.
    for (const file of loaded) {
      const froms = parseStatements(readFileSync(root + file, 'utf8')).map(({ from = '' }) => resolveTypes(file, from));
      for (const from of froms) if (from !== undefined) loaded.add(from);
    }
    const homes = findHomes(types, entries, reader);
    const files = subpaths.filter((other) => homes.has(other.types)).map((home) => home.joined);
    expect(files.filter((file) => !loaded.has(file))).toEqual([]);
  });

  const stable = subpaths.filter(({ specifier }) => !experimental.includes(specifier));
  test.each(stable)('$specifier, which is stable, names no type of an experimental subpath', ({ types }) => {
    const homes = findHomes(types, entries, reader);
    const unstable = subpaths.filter((other) => !stable.includes(other) && homes.has(other.types));
    expect(unstable.flatMap((other) => homes.get(other.types)?.map(({ name }) => name) ?? [])).toEqual([]);
  });

  test.each(subpaths)('$specifier declares after joining what it declared before', ({ types, joined }) => {
    const exported = namesOf(types);
    expect(exported.length).toBeGreaterThan(0);
    expect(namesOf(joined)).toEqual(exported);
  });

  test('show nothing internal', () => {
    const files = globSync('dist/**/*.d.ts', { cwd: root });
    expect(files.length).toBeGreaterThan(subpaths.length);
    expect(files.filter((file) => readFileSync(root + file, 'utf8').includes('@internal'))).toEqual([]);
  });
});

describe('an unexported type is found', () => {
  const find = (files: Readonly<Record<string, string>>, others: readonly string[] = []) =>
    findUnexported(
      'index.d.ts',
      others,
      createReader((file) => files[file] ?? ''),
    );
  const exported = "export { run } from './run.js';\n";

  test.each([
    [
      'of the same file',
      'interface Options {\n    readonly a: string;\n}\nexport declare function run(o: Options): void;\n',
    ],
    [
      'that is imported',
      "import type { Options } from './other.js';\nexport declare const run: (o: Options) => void;\n",
    ],
    [
      'that is imported by another name',
      "import type { Options as O } from './other.js';\nexport declare class run extends O {\n}\n",
    ],
    ['that is imported in place', 'export declare const run: import("./other.js").Options[];\n'],
    [
      'in an overload',
      "import type { Options } from './other.js';\nexport declare function run(): void;\nexport declare function run(o: Options): void;\n",
    ],
  ])('%s', (_what, run) => {
    const other = 'export interface Options {\n}\n';
    expect(find({ 'index.d.ts': exported, 'run.d.ts': run, 'other.d.ts': other })).toEqual(['run names Options']);
    const all = `${exported}export * from './run.js';\nexport * from './other.js';\n`;
    const own = run.replace(/^interface/, 'export interface');
    expect(find({ 'index.d.ts': all, 'run.d.ts': own, 'other.d.ts': other })).toEqual([]);
  });

  test('ignores a field, a string, a comment and a type of another package', () => {
    const run = [
      "import type { Other } from 'other';",
      'type Options = string;',
      '/** Options */',
      'export interface run {',
      '    Options: string;',
      "    kind: 'Options';",
      '    other: Other;',
      '}',
    ].join('\n');
    expect(find({ 'index.d.ts': exported, 'run.d.ts': run })).toEqual([]);
  });

  test('unless an entry above exports it', () => {
    const files = {
      'index.d.ts': "import type { Options } from './above.js';\nexport declare const run: Options;\n",
      'above.d.ts': 'export interface Options {\n}\n',
    };
    expect([find(files), find(files, ['above.d.ts'])]).toEqual([['run names Options'], []]);
  });
});
