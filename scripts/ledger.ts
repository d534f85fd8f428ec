// What each module adds to the bundles that .size-limit.json limits: `npm run ledger`, or with the start of an entry's
// name.
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './lib/exec.ts';

/** An entry of .size-limit.json. */
interface Limited {
  readonly name: string;
  readonly path: string;
  readonly import: string;
}

const gzipped = (text: string) => gzipSync(text, { level: 9 }).length;

/** The source file of each line of a built file, by the `// src/…` lines that esbuild writes. */
function modulesByLine(file: string): readonly string[] {
  let module = 'between modules';
  // Vite names files as they stand to `dist/assets`.
  return readFileSync(join(root, 'dist/assets', file), 'utf8')
    .split('\n')
    .map((line) => {
      module = /^\/\/ (src\/\S+)$/.exec(line)?.[1] ?? module;
      return module;
    });
}

/** The minified bundle, cut where the module changes. */
async function bundle({
  path,
  import: names,
}: Limited): Promise<{ text: string; pieces: [module: string, text: string][] }> {
  const what = names === '*' ? '* as all' : names;
  const used = names === '*' ? 'all' : names.replace(/[{}]/g, (brace) => (brace === '{' ? '[' : ']'));
  const entry = `${root}/ledger-entry.js`;
  const { output } = (await build({
    root,
    configFile: false,
    logLevel: 'error',
    // The entry stands nowhere but here.
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? `import ${what} from './${path}'; globalThis.used = ${used};` : undefined),
      },
    ],
    build: {
      write: false,
      minify: 'oxc',
      target: 'esnext',
      sourcemap: 'hidden',
      modulePreload: false,
      rolldownOptions: { input: entry, output: { comments: { annotation: false } } },
    },
    // The cast: what it gives where it neither watches nor has several formats.
  })) as { output: readonly { readonly code?: string; readonly map?: SourceMapPayload }[] };
  const [{ code: text = '', map = undefined } = {}, ...others] = output.filter(({ code }) => code !== undefined);
  if (map === undefined || others.length > 0) throw new Error('expected one file with a source map');
  const source = new SourceMap(map);
  const files = new Map<string, readonly string[]>();
  const pieces: [string, string][] = [];
  text.split('\n').forEach((line, lineNumber) => {
    for (let column = 0; column < line.length; column++) {
      const entry = source.findEntry(lineNumber, column);
      const char = line[column] ?? '';
      const { originalSource: file = '', originalLine = 0 } = 'originalSource' in entry ? entry : {};
      const [, inPackage] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
      const isBuilt = file.endsWith('.js') && !inPackage && !file.endsWith('ledger-entry.js');
      if (isBuilt && !files.has(file)) files.set(file, modulesByLine(file));
      const module = inPackage ?? files.get(file)?.[originalLine] ?? 'the entry';
      const last = pieces.at(-1);
      if (last?.[0] === module) last[1] += char;
      else pieces.push([module, char]);
    }
  });
  return { text, pieces };
}

const limits = JSON.parse(readFileSync(join(root, '.size-limit.json'), 'utf8')) as Limited[];
for (const limited of limits.filter(({ name }) => name.startsWith(process.argv[2] ?? ''))) {
  const { text, pieces } = await bundle(limited);
  const whole = gzipped(text);
  const rows = [...new Set(pieces.map(([module]) => module))].map((module) => {
    const minified = pieces.reduce((sum, [of, piece]) => sum + (of === module ? piece.length : 0), 0);
    const without = pieces.flatMap(([of, piece]) => (of === module ? [] : [piece])).join('');
    return { module, minified, marginal: whole - gzipped(without) };
  });
  console.log(`\n${limited.name}: ${text.length} bytes minified, ${whole} gzipped`);
  console.log('minified  gzipped (what the bundle would be smaller by without it)');
  for (const { module, minified, marginal } of rows.sort((a, b) => b.marginal - a.marginal)) {
    console.log(`${String(minified).padStart(8)} ${String(marginal).padStart(8)}  ${module}`);
  }
}
