import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { build as buildWithVite, defaultClientConditions } from 'vite';
import { scratch } from './scratch.ts';
import { kyText, withoutKy } from './without-ky.ts';

/** Bundles the file `entry` for a browser, without minifying it; gives the code. */
type Bundler = (entry: string, folder: string, conditions: string[]) => Promise<string>;

/** Rollup and webpack are not dependencies of the package: a scratch install has them. */
const others = ['rollup@4.67.4', '@rollup/plugin-node-resolve@16.0.3', 'webpack@5.112.2'] as const;

async function load(name: string, file: string) {
  const folder = await scratch(...others);
  return import(pathToFileURL(join(folder, 'node_modules', name, file)).href);
}

const bundlers: Readonly<Record<string, Bundler>> = {
  async esbuild(entry, folder, conditions) {
    const { outputFiles } = await build({
      entryPoints: [entry],
      absWorkingDir: folder,
      conditions,
      bundle: true,
      format: 'esm',
      write: false,
    });
    return outputFiles[0]?.text ?? '';
  },
  async Vite(entry, folder, conditions) {
    const output = await buildWithVite({
      root: folder,
      configFile: false,
      logLevel: 'error',
      resolve: { conditions: [...conditions, ...defaultClientConditions] },
      build: { write: false, minify: false, modulePreload: false, rolldownOptions: { input: entry } },
    });
    // The cast: its result if it neither watches nor builds several formats.
    const { output: files } = output as { output: { code?: string }[] };
    return files.map(({ code = '' }) => code).join('\n');
  },
  async rollup(entry, _folder, exportConditions) {
    const [{ rollup }, { nodeResolve }] = [
      await load('rollup', 'dist/es/rollup.js'),
      await load('@rollup/plugin-node-resolve', 'dist/es/index.js'),
    ];
    const bundle = await rollup({
      input: entry,
      plugins: [nodeResolve({ browser: true, exportConditions })],
      onwarn: () => {},
    });
    const { output } = await bundle.generate({ format: 'es' });
    return output[0].code;
  },
  async webpack(entry, folder, conditions) {
    const { default: webpack } = await load('webpack', 'lib/index.js');
    const path = join(folder, 'webpack');
    // In production it drops unused code only together with its minifier: names stay, code goes.
    const config = {
      mode: 'production',
      context: folder,
      entry,
      output: { path, filename: 'out.js' },
      resolve: { conditionNames: [...conditions, '...'] },
    };
    await new Promise<void>((resolve, reject) => {
      webpack(config, (error: unknown, stats: { hasErrors(): boolean; toString(): string } | undefined) =>
        error || stats?.hasErrors() ? reject(error ?? new Error(String(stats))) : resolve(),
      );
    });
    return readFile(join(path, 'out.js'), 'utf8');
  },
};

/** The size in bytes, minified by one minifier and compressed, so that what a bundler left out is all that differs. */
async function sizeOf(code: string): Promise<number> {
  const { code: small } = await transform(code, { minify: true, format: 'esm', target: 'es2022' });
  return gzipSync(small, { level: 9 }).length;
}

const guardBytes = 400;
const spread = 1.03;

/** Checks that every bundler leaves out unused code; returns the problems, one line each. */
export async function compareBundlers(folder: string): Promise<string[]> {
  const route = "import { Connection, Route } from 'arango-services'; globalThis.used = [Connection, Route];";
  const cases: Readonly<Record<string, readonly [code: string, ...conditions: string[]]>> = {
    guard: ["import { isHttpError } from 'arango-services'; globalThis.used = isHttpError;"],
    route: [route],
    'without ky': [route, withoutKy],
  };
  await mkdir(folder, { recursive: true });
  const faults: string[] = [];
  for (const [name, [code, ...conditions]] of Object.entries(cases)) {
    const entry = join(folder, `bundlers-${name}.js`);
    await writeFile(entry, code);
    const sizes = new Map<string, number>();
    for (const [bundler, bundle] of Object.entries(bundlers)) {
      const text = await bundle(entry, folder, conditions);
      const size = await sizeOf(text);
      sizes.set(bundler, size);
      if (name === 'guard' && size >= guardBytes) faults.push(`${bundler} needs ${size} bytes for one guard`);
      if (text.includes(kyText) !== (name === 'route')) faults.push(`${name}, ${bundler}: ky is there, or is not`);
    }
    console.log(`     ${name}: ${[...sizes].map((one) => one.join(' ')).join(', ')} bytes`);
    const all = [...sizes.values()];
    if (name !== 'guard' && Math.max(...all) > Math.min(...all) * spread) {
      faults.push(`${name}: the bundles differ by more than 3%: ${all}`);
    }
  }
  return faults;
}
