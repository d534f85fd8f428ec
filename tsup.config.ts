import { existsSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { markPure } from './scripts/lib/pure-marks.ts';

// One entry per public subpath, and the two that package.json's `imports` chooses from; dist mirrors src. Types come from tsc (tsconfig.build.json).
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
  // No subpaths of their own: as entries they become files of their own, and a bundler leaves out those that nobody uses.
  'connection/connection',
  'credentials/index',
  'services/authentication/client',
  'services/authorization/client',
].filter((entry) => existsSync(`src/${entry}.ts`));

export default defineConfig({
  entry: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
  format: ['esm'],
  platform: 'neutral',
  target: 'es2023',
  splitting: true,
  sourcemap: false,
  clean: true,
  dts: false,
  removeNodeProtocol: false,
  external: [/^node:/, /^#/],
  plugins: [{ name: 'pure marks', renderChunk: (code) => ({ code: markPure(code) }) }],
});
