import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { exec } from './exec.ts';
import { scratch } from './scratch.ts';

/** Bundles the file `entry` for Node into the folder `out`; gives the file to run. */
type NodeBundler = (entry: string, out: string) => Promise<string>;

/** Rollup and webpack are not dependencies of the package: a scratch install has them. */
const others = [
  'rollup@4.67.4',
  '@rollup/plugin-node-resolve@16.0.3',
  '@rollup/plugin-commonjs@29.0.3',
  'webpack@5.112.2',
] as const;

async function load(name: string, file: string) {
  const folder = await scratch(...others);
  return import(pathToFileURL(join(folder, 'node_modules', name, file)).href);
}

/** A program that calls a server over `nodeTransport` and prints the status, or the message of the failure. */
const program = `
import { createServer } from 'node:http';
import { createClient } from 'arango-services';
import { nodeTransport } from 'arango-services/node';

const server = createServer((_, response) => response.end());
server.listen(0, '127.0.0.1', async () => {
  const client = createClient({ url: 'http://127.0.0.1:' + server.address().port, transport: nodeTransport() });
  await client.route('x').get().then(({ status }) => console.log(status), (error) => console.log(error.message));
  await client.close();
  server.close();
});
`;

/** As in the guide: undici is CommonJS and calls `require`, which esbuild's ES modules lack. */
const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

async function withEsbuild(entry: string, outfile: string, format: 'esm' | 'cjs', js = ''): Promise<string> {
  const entryPoints = [entry];
  await build({ entryPoints, bundle: true, platform: 'node', logLevel: 'error', format, outfile, banner: { js } });
  return outfile;
}

async function withRollup(entry: string, dir: string, format: 'es' | 'cjs', suffix: string): Promise<string> {
  const [{ rollup }, { nodeResolve }, { default: commonjs }] = [
    await load('rollup', 'dist/es/rollup.js'),
    await load('@rollup/plugin-node-resolve', 'dist/es/index.js'),
    await load('@rollup/plugin-commonjs', 'dist/es/index.js'),
  ];
  const plugins = [nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs()];
  const bundle = await rollup({ input: entry, plugins, onwarn: () => {} });
  const name = `[name].${suffix}`;
  await bundle.write({ dir, format, entryFileNames: `rollup.${suffix}`, chunkFileNames: name });
  return join(dir, `rollup.${suffix}`);
}

async function withWebpack(entry: string, path: string, module: boolean): Promise<string> {
  const { default: webpack } = await load('webpack', 'lib/index.js');
  const filename = module ? 'webpack.mjs' : 'webpack.cjs';
  const config = {
    mode: 'production',
    target: 'node22',
    entry,
    ...(module && { experiments: { outputModule: true } }),
    output: { path, filename, ...(module && { module, chunkFormat: 'module' }) },
  };
  await new Promise<void>((resolve, reject) => {
    webpack(config, (error: unknown, stats: { hasErrors(): boolean; toString(): string } | undefined) =>
      error || stats?.hasErrors() ? reject(error ?? new Error(String(stats))) : resolve(),
    );
  });
  return join(path, filename);
}

/** Each bundler in both formats, and what the program prints. */
const bundles: readonly (readonly [name: string, bundle: NodeBundler, printed: RegExp])[] = [
  [
    'esbuild, an ES module',
    (entry, out) => withEsbuild(entry, join(out, 'bare.mjs'), 'esm'),
    /it cannot be loaded: Dynamic require of "node:\w+" is not supported$/,
  ],
  [
    'esbuild, an ES module with the banner',
    (entry, out) => withEsbuild(entry, join(out, 'esbuild.mjs'), 'esm', banner),
    /^200$/,
  ],
  ['esbuild, CommonJS', (entry, out) => withEsbuild(entry, join(out, 'esbuild.cjs'), 'cjs'), /^200$/],
  ['rollup, an ES module', (entry, out) => withRollup(entry, join(out, 'es'), 'es', 'mjs'), /^200$/],
  ['rollup, CommonJS', (entry, out) => withRollup(entry, join(out, 'cjs'), 'cjs', 'cjs'), /^200$/],
  ['webpack, an ES module', (entry, out) => withWebpack(entry, out, true), /^200$/],
  ['webpack, CommonJS', (entry, out) => withWebpack(entry, out, false), /^200$/],
];

/**
 * Checks that a program bundled for Node can call over `nodeTransport`, as the guide describes for each bundler;
 * returns the problems, one line each. `folder` is a project that has the package and undici.
 */
export async function runNodeBundles(folder: string): Promise<string[]> {
  const entry = join(folder, 'bundled.mjs');
  await writeFile(entry, program);
  const faults: string[] = [];
  for (const [name, bundle, printed] of bundles) {
    const file = await bundle(entry, join(folder, 'bundled'));
    const { stdout, output } = await exec(process.execPath, [file], { cwd: folder });
    if (!printed.test(stdout.trim())) faults.push(`${name}: ${output.trim()}`);
  }
  return faults;
}
