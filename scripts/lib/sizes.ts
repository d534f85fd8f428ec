import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './exec.ts';
import { experimental, manifest, readSubpaths, type Subpath } from './package.ts';

/** The purpose of each subpath and the peers that it needs. docs/measured.md has a row for each. */
const purposes: Readonly<Record<string, readonly [purpose: string, needs: string]>> = {
  'arango-services': ['the client: routes, credentials, authentication, authorization, errors', ''],
  'arango-services/routes': ['a client of routes alone, for pages whose size counts', ''],
  'arango-services/credentials': ['the members of `credentials`, one by one', ''],
  'arango-services/guard': ['guards a service of your own, and verifies tokens', ''],
  'arango-services/session': ["a page's session over reloads and tabs; permissions for views", ''],
  'arango-services/react': ['hooks for React over a session and its permissions', 'React 18 or 19'],
  'arango-services/describe': ['errors in words for people', ''],
  'arango-services/policy': ['decides by policies; explains and checks them', ''],
  'arango-services/analysis': [
    'says who can do what, and whose access a change affects; the actions of the platform',
    '',
  ],
  'arango-services/decisions': ["reads decision logs: this package's and the platform's", ''],
  'arango-services/authzen': ['AuthZEN: a PDP in front of a decider, and a client of any PDP', ''],
  'arango-services/replica': ['decides in the process, from a copy of the deployment', 'Node; connect, protobuf'],
  'arango-services/stream': ['reads lines, JSON lines, server-sent events and pages; upload progress', ''],
  'arango-services/failover': ['sends to the next address of a cluster when one fails', ''],
  'arango-services/openapi': ['calls, permissions and operations by an OpenAPI document', ''],
  'arango-services/permissions': ['permissions in files: plans, with the access that they change, and their calls', ''],
  'arango-services/permissions/matchers': ['`toAllow` and `toDeny` for vitest and Jest', ''],
  'arango-services/node': ['the environment, token files, `nodeTransport`', 'Node; undici for `nodeTransport`'],
  'arango-services/mock': ['the mock of the platform, in memory', ''],
  'arango-services/conformance': ['compares a deployment with the mock, sentence by sentence', ''],
  'arango-services/mock/msw': ['the mock as handlers of msw', 'msw 3'],
  'arango-services/mock/node': [
    'the mock on a port, its pool streams over gRPC too',
    'Node; connect, protobuf for gRPC',
  ],
  'arango-services/mock/vitest': ['a reporter of vitest that writes the decisions of a suite', 'vitest 5'],
  'arango-services/mock/openapi': ['checks a mocked service by its OpenAPI document', '@cfworker/json-schema'],
};

/**
 * Bytes of a bundle with all that a subpath exports and depends on, minified and gzipped; optional peers stay outside.
 */
async function measure({ specifier, nodeOnly }: Subpath): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${specifier}';`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: nodeOnly ? 'node' : 'browser',
    target: 'es2023',
    // Not the paths of the clone's tsconfig.json, which name Node's files.
    tsconfigRaw: {},
    external: ['node:*', ...Object.keys(manifest.peerDependencies)],
    write: false,
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

/** The size of each subpath's bundle in kB, by specifier. */
export async function measureSizes(): Promise<Map<string, number>> {
  const subpaths = readSubpaths();
  const bytes = await Promise.all(subpaths.map(measure));
  return new Map(subpaths.map(({ specifier }, index) => [specifier, (bytes[index] ?? 0) / 1000]));
}

/** The table of subpaths in docs/measured.md. Throws for a subpath without a purpose. */
export function formatSizes(sizes: ReadonlyMap<string, number>): string {
  for (const specifier of sizes.keys()) {
    if (!Object.hasOwn(purposes, specifier))
      throw new Error(`scripts/lib/sizes.ts does not say what ${specifier} is for`);
  }
  const rows = Object.entries(purposes).map(([specifier, [purpose, needs]]) => {
    const size = sizes.get(specifier);
    if (size === undefined) throw new Error(`${specifier} is not a subpath any more`);
    const state = experimental.includes(specifier) ? 'experimental' : 'stable';
    return `| \`${specifier}\` | ${purpose} | ${state} | ${size.toFixed(1)} kB | ${needs} |`;
  });
  return ['| subpath | what it does | state | min+gzip | needs |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The subpaths that an application begins with; README names these, and links the table of all. */
export const firstSubpaths: readonly string[] = [
  '',
  ...['/guard', '/session', '/react', '/openapi', '/permissions', '/mock', '/mock/msw', '/mock/node'],
].map((path) => `arango-services${path}`);

/** The table of subpaths in README, without what they need. */
export function formatSubpaths(sizes: ReadonlyMap<string, number>): string {
  const rows = firstSubpaths.map(
    // Rounded from the figure of the other table, so that the two agree.
    (specifier) =>
      `| \`${specifier}\` | ${purposes[specifier]?.[0]} | ${Math.round(Number(sizes.get(specifier)?.toFixed(1)))} |`,
  );
  return ['| subpath | what it does | kB |', '|---|---|---|', ...rows].join('\n');
}

/** The sizes that a table of `formatSizes` says. */
export const parseSizes = (table: string): Map<string, number> =>
  new Map(
    [...table.matchAll(/^\| `(\S+)` \|.*\| ([\d.]+)(?: kB)? \|/gm)].map(([, specifier = '', kB]) => [
      specifier,
      Number(kB),
    ]),
  );
