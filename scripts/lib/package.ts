import { globSync, readFileSync } from 'node:fs';
import { root } from './exec.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository: { readonly url: string };
  readonly bugs: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly typesVersions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** A subpath that package.json exports as a module. */
export interface Subpath {
  /** As a consumer writes it: `arango-services/mock/node`. */
  readonly specifier: string;
  /** The built module, from the clone's folder: `dist/mock/adapters/node/index.js`. */
  readonly file: string;
  /** The optional peer that it needs: the last segment of its name (`./mock/msw` needs msw), or one by another name. */
  readonly peer: string | undefined;
  /** True if it runs in Node only: its last segment is one of `node`, `replica` and `vitest`. */
  readonly nodeOnly: boolean;
}

// The cast: our own package.json, whose shape npm, publint and attw check.
export const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Manifest;

/** The web address of the repository. */
export const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');

/** The web address of a file of the repository. */
export const addressInRepository = (file: string): string => `${repository}/blob/main/${file}`;

/** The optional peers, in the versions that the tests take. */
export const testedPeers: readonly (readonly [name: string, version: string | undefined])[] = Object.keys(
  manifest.peerDependencies,
).map((name) => [name, manifest.devDependencies[name]]);

/** Optional peers whose name is not the last segment of the subpath. */
const otherPeers: Readonly<Record<string, string>> = { './mock/openapi': '@cfworker/json-schema' };

/** Every module that package.json exports, so that a new subpath is checked from the day it is exported. */
export function readSubpaths(): Subpath[] {
  return Object.entries(manifest.exports).flatMap(([name, target]) => {
    if (typeof target === 'string') return [];
    const last = name.split('/').at(-1) ?? '';
    return {
      specifier: name.replace(/^\./, manifest.name),
      file: target.default.replace(/^\.\//, ''),
      peer: otherPeers[name] ?? (Object.hasOwn(manifest.peerDependencies, last) ? last : undefined),
      nodeOnly: ['node', 'replica', 'vitest'].includes(last),
    };
  });
}

/** The subpaths that a minor version may replace; docs/versions.md lists them, and the stable ones. */
export const experimental: readonly string[] = [
  'analysis',
  'authzen',
  'replica',
  'conformance',
  'mock/vitest',
  'mock/openapi',
].map((name) => `arango-services/${name}`);

/**
 * The modules that the package is built from, without folder and suffix (`mock/adapters/node/index`): one for each
 * subpath and command, and those that `imports` chooses from. package.json's `exports`, `bin` and `imports` are the
 * only list of them; dist mirrors src without its wings (`sourceOf`).
 */
export function readEntries(): string[] {
  const files = [
    ...readSubpaths().map(({ file }) => file),
    ...Object.values(manifest.bin),
    ...Object.values(manifest.imports).flatMap(Object.values),
  ];
  return files.map((file) => file.replace(/^(?:\.\/)?dist\//, '').replace(/\.js$/, ''));
}

/**
 * Entries whose source stands elsewhere: the first hands the console to the mock, which does not import it; the second
 * leaves types to the main entry that other rooms import with the rest.
 */
const otherSources: Readonly<Record<string, string>> = {
  'mock/adapters/node/index': 'src/console/mock/node.ts',
  'policy/index': 'src/policy/public.ts',
};

/** The source file of an entry: `guard/index` is built from `src/enforce/guard/index.ts`, `index` from `src/index.ts`. */
export function sourceOf(entry: string): string {
  const other = otherSources[entry];
  if (other !== undefined) return other;
  const files =
    entry === 'index'
      ? ['src/index.ts']
      : globSync(`src/{,base/,policy/,client/,enforce/,tools/}${entry}.ts`, { cwd: root });
  const [file] = files;
  if (file === undefined || files.length > 1) throw new Error(`${entry}: ${files.length} source files`);
  return file;
}
