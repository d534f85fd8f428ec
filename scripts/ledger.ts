// The bytes that each module and each package adds to the bundles of .size-limit.js: `npm run ledger`, or with the
// start of an entry's name after `--`.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type InputOptions, rolldown } from 'rolldown';
import { root } from './lib/exec.ts';
import { sourcesByMark } from './lib/source-marks.ts';

/** An entry of .size-limit.js. */
interface Limited {
  readonly name: string;
  readonly path: string;
  readonly import: string;
  /** Says how modules are resolved. */
  readonly modifyRolldownConfig?: (config: InputOptions) => InputOptions;
}

/** The package of a module, or its folder of `src`: `jose`, `src/policy`, `src/mock/kit`. */
function roomOf(module: string): string {
  if (!module.startsWith('src/')) return /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module;
  return module.includes('/', 4) ? module.slice(0, module.lastIndexOf('/')) : 'src';
}

const gzipped = (text: string) => gzipSync(text, { level: 9 }).length;

/** The source file of each line of a built file, by the marks that the build writes. */
function modulesByLine(file: string): readonly string[] {
  const sources = sourcesByMark();
  let module = 'between modules';
  return readFileSync(join(root, 'dist', file), 'utf8')
    .split('\n')
    .map((line) => {
      module = (line.startsWith('//') && sources.get(line.slice(2))) || module;
      return module;
    });
}

/** The minified bundle, cut where the module changes. */
async function bundle({
  path,
  import: names,
  modifyRolldownConfig = (config) => config,
}: Limited): Promise<{ text: string; pieces: [module: string, text: string][] }> {
  const what = names === '*' ? '* as all' : names;
  const used = names === '*' ? 'all' : names.replace(/[{}]/g, (brace) => (brace === '{' ? '[' : ']'));
  const entry = `${root}/ledger-entry.js`;
  const options: InputOptions = {
    cwd: root,
    input: entry,
    // The entry stands nowhere but here.
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? `import ${what} from './${path}'; globalThis.used = ${used};` : undefined),
      },
    ],
  };
  const bundler = await rolldown(modifyRolldownConfig(options));
  const { output } = await bundler.generate({
    minify: true,
    sourcemap: 'hidden',
    comments: { annotation: false },
    // One file, lazy imports included.
    codeSplitting: false,
  });
  const [{ code: text, map }] = output;
  if (map === null) throw new Error('expected a source map');
  const source = new SourceMap({ sourceRoot: '', ...map });
  const files = new Map<string, readonly string[]>();
  const pieces: [string, string][] = [];
  text.split('\n').forEach((line, lineNumber) => {
    for (let column = 0; column < line.length; column++) {
      const entry = source.findEntry(lineNumber, column);
      const char = line[column] ?? '';
      const { originalSource: file = '', originalLine = 0 } = 'originalSource' in entry ? entry : {};
      const [, inPackage] = /.*node_modules\/(.+)$/.exec(file) ?? [];
      const isBuilt = file.endsWith('.js') && !inPackage && !file.endsWith('ledger-entry.js');
      if (isBuilt && !files.has(file)) files.set(file, modulesByLine(file));
      const module = inPackage ?? files.get(file)?.[originalLine] ?? 'the entry, and what joins the files';
      const last = pieces.at(-1);
      if (last?.[0] === module) last[1] += char;
      else pieces.push([module, char]);
    }
  });
  return { text, pieces };
}

// The cast: the file has no types; size-limit itself refuses entries of another form.
const { default: limits } = (await import(join(root, '.size-limit.js'))) as { default: Limited[] };
for (const limited of limits.filter(({ name }) => name.startsWith(process.argv[2] ?? ''))) {
  const { text, pieces } = await bundle(limited);
  const whole = gzipped(text);
  /** A line for each name that `nameOf` gives modules; what matters most comes first. */
  const print = (nameOf: (module: string) => string): void => {
    const rows = [...new Set(pieces.map(([module]) => nameOf(module)))].map((name) => {
      const minified = pieces.reduce((sum, [of, piece]) => sum + (nameOf(of) === name ? piece.length : 0), 0);
      const without = pieces.flatMap(([of, piece]) => (nameOf(of) === name ? [] : [piece])).join('');
      return { name, minified, marginal: whole - gzipped(without) };
    });
    for (const { name, minified, marginal } of rows.sort((a, b) => b.marginal - a.marginal)) {
      console.log(`${String(minified).padStart(8)} ${String(marginal).padStart(8)}  ${name}`);
    }
  };
  console.log(`\n${limited.name}: ${text.length} bytes minified, ${whole} gzipped`);
  console.log('minified  gzipped (what the bundle would be smaller by without it)');
  print(roomOf);
  console.log('');
  print((module) => module);
}
