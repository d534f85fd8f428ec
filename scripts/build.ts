// Builds dist; the types come from tsc (tsconfig.build.json).
import { chmod } from 'node:fs/promises';
import { rolldown } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { root } from './lib/exec.ts';
import { markPure } from './lib/pure-marks.ts';

// One entry per public subpath, and the two that package.json's `imports` chooses from; dist mirrors src.
const entries = [
  'index',
  'policy/index',
  'mock/index',
  'mock/adapters/msw',
  'mock/adapters/node/index',
  'mock/adapters/grpc/index',
  'mock/cli/index',
  'node/index',
  'replica/index',
  'stream/index',
  'token/index',
  'guard/index',
  'connection/ky-platform',
  'connection/ky-platform-node',
];

const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

const sharedByTheClient =
  /src\/(errors|lib|credentials|services|connection\/(url|schema|tls)|jwt\/(token-text|session)|policy\/(normalize|shape))/;

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
  platform: 'neutral',
  external: [/^node:/, /^#/, ...packages.map((name) => new RegExp(`^${name}(/|$)`))],
  transform: { target: 'es2023' },
  preserveEntrySignatures: 'allow-extension',
  plugins: [{ name: 'pure marks', renderChunk: (code) => ({ code: markPure(code) }) }],
  // What is only a warning there, like an import of a package that package.json does not name, is an error here.
  onLog(level, { message }) {
    if (level === 'warn') throw new Error(message);
  },
});
await bundle.write({
  dir: 'dist',
  cleanDir: true,
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      // To open a file costs an importing program more than to read it: what the client and others use stands in one.
      { name: 'shared', test: sharedByTheClient, minShareCount: 2 },
      { name: 'policy', test: /src\/policy\// },
    ],
  },
  comments: { jsdoc: false },
});
for (const command of Object.values(manifest.bin)) await chmod(root + command, 0o755);
