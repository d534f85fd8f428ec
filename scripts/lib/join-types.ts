import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
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

/** Indents by tabs, which take half of the bytes. */
const indentByTabs = (code: string) => code.replace(/^(?: {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2));

/**
 * Joins the declarations of src as `joinModules` joins the modules: a file for each subpath and for types that several
 * of them share, without declarations that no subpath leads to. That halves the bytes.
 */
export async function joinTypes(to: string): Promise<void> {
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
      { name: 'tabs', renderChunk: (code) => indentByTabs(code) },
    ],
  });
}
