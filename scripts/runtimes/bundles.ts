import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { root } from '../lib/exec.ts';

const sources = join(root, 'test/runtimes');

/** The package comes from the tarball that `consumer` has installed, `expect` from where there is no runner. */
function fromTarball(consumer: string): Plugin {
  return {
    name: 'from the tarball',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^vitest$/ }, () => ({ path: join(sources, 'vitest.ts') }));
      onResolve({ filter: /^arango-services(\/|$)/ }, ({ path, kind, resolveDir }) =>
        resolveDir === consumer ? undefined : resolve(path, { kind, resolveDir: consumer }),
      );
    },
  };
}

interface Kind {
  readonly entry: string;
  readonly format: 'esm' | 'iife';
  /** Left to the runtime to find in the consumer's node_modules. */
  readonly external?: string[];
}

const own = ['arango-services', 'arango-services/*', 'node:*'];
const kinds = {
  process: { entry: 'process', format: 'esm', external: own },
  module: { entry: 'module', format: 'esm' },
  script: { entry: 'script', format: 'iife' },
  page: { entry: 'page', format: 'esm' },
} satisfies Record<string, Kind>;

/** Bundles the program for one kind of runtime, under conditions of package.json if there are any; gives its code. */
export async function bundleProgram(
  kind: keyof typeof kinds,
  consumer: string,
  ...conditions: string[]
): Promise<string> {
  const { entry, format, external = [] }: Kind = kinds[kind];
  const outfile = join(consumer, `program-${[kind, ...conditions].join('-')}.mjs`);
  await build({
    entryPoints: [join(sources, `entry-${entry}.ts`)],
    bundle: true,
    format,
    platform: 'browser',
    target: 'es2022',
    plugins: [fromTarball(consumer)],
    external,
    // `module` is what esbuild adds by itself where none are named.
    conditions: ['module', ...conditions],
    outfile,
    logLevel: 'error',
    absWorkingDir: root,
  });
  return readFile(outfile, 'utf8');
}
