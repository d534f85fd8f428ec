import { defineConfig } from 'tsup';
import { joinModules } from './scripts/lib/join-modules.ts';

// Compiles each file by itself; what they become in dist is joined from there. Types come from tsc
// (tsconfig.build.json).
export default defineConfig({
  // scripts/console.ts bundles the console's page.
  entry: ['src/**/*.ts', '!src/console/page/**'],
  outDir: 'node_modules/.cache/compiled/src',
  format: ['esm'],
  platform: 'neutral',
  target: 'es2023',
  bundle: false,
  splitting: false,
  sourcemap: false,
  clean: true,
  dts: false,
  removeNodeProtocol: false,
  onSuccess: () => joinModules('node_modules/.cache/compiled', 'dist'),
});
