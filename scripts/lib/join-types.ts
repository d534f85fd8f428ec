import { join, posix } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { createReader, findHomes, type Reader } from './declarations.ts';
import { root } from './exec.ts';
import { experimental, readSubpaths, sourceOf } from './package.ts';

// Where tsc writes the declarations of src (tsconfig.build.json), one file for each module.
const compiled = 'node_modules/.cache/compiled/types';

/** The declarations of an entry as tsc wrote them, by its built module: `dist/mock/index.js`. */
export const compiledTypes = (file: string): string =>
  sourceOf(file.replace(/^dist\/|\.js$/g, '')).replace(/^src\/(.*)\.ts$/, `${compiled}/$1.d.ts`);

// Types of `await using`, which a consumer's `lib` need not name.
const banner = '/// <reference lib="esnext.disposable" preserve="true" />';

/** The comment of the entries that a minor version may replace, which editors and API reports show. */
const experimentalComment = `/**
 * Experimental: a minor version may replace, move or remove this subpath.
 *
 * @experimental
 * @packageDocumentation
 */`;

/** Puts the comment at the top of an experimental entry, below references of libraries, which must come first. */
function markExperimental(code: string, name: string): string {
  const subpath = readSubpaths().find(({ file }) => file === `dist/${name}.js`);
  const isExperimental = subpath !== undefined && experimental.includes(subpath.specifier);
  return isExperimental ? code.replace(/^(?:\/\/\/.*\n)*/, `$&${experimentalComment}\n`) : code;
}

/**
 * Loads the subpaths that export the types that an entry leads to: a compiler that writes declarations names a type by
 * a subpath that a loaded file exports it from, and else by a path into dist, which other packages cannot import.
 */
function loadHomes(code: string, name: string, reader: Reader): string {
  const files = new Map(readSubpaths().map(({ file }) => [compiledTypes(file), file]));
  const file = `dist/${name}.js`;
  if (![...files.values()].includes(file)) return code;
  const homes = [...findHomes(compiledTypes(file), [...files.keys()], reader).keys()].map(
    (home) => files.get(home) ?? '',
  );
  const pathTo = (home: string) => posix.relative(posix.dirname(file), home).replace(/^(?!\.)/, './');
  const lines = homes.map((home) => `import type {} from "${pathTo(home)}";\n`).sort();
  return code.replace(/^(?:\/\/\/.*\n)*/, `$&${lines.join('')}`);
}

/** Indents by tabs, which take half of the bytes. */
const indentByTabs = (code: string) => code.replace(/^(?: {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2));

/**
 * Joins the declarations of src as `joinModules` joins the modules: a file for each subpath and for types that several
 * of them share, without declarations that no subpath leads to. That halves the bytes.
 */
export async function joinTypes(to: string): Promise<void> {
  const reader = createReader();
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      readSubpaths().map(({ file }) => [file.replace(/^dist\/|\.js$/g, ''), `./${compiledTypes(file)}`]),
    ),
    external: /^[^./]/,
    plugins: [dts({ dtsInput: true, tsconfig: false, generator: 'oxc' })],
  });
  await bundle.write({
    dir: join(root, to),
    format: 'esm',
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name]-[hash].d.ts',
    banner,
    plugins: [
      // Not by `banner`, which files without imports lose.
      { name: 'experimental', renderChunk: (code, { name }) => markExperimental(code, name) },
      { name: 'homes', renderChunk: (code, { name }) => loadHomes(code, name, reader) },
      { name: 'tabs', renderChunk: (code) => indentByTabs(code) },
    ],
  });
}
