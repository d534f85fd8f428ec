import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Type tests (`*.test-d.ts`) are read by tsc alone: `npm run typecheck` reports `expectTypeOf` and `@ts-expect-error`.
export default defineConfig({
  resolve: { alias: { '#platform': fileURLToPath(new URL('src/connection/ky-platform-node.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**', 'test/deep/**', 'test/dom/**'],
    // The modules are loaded once for each worker, not once for each file: nothing in src keeps state at module level,
    // and a test puts back what it changes in the globals.
    isolate: false,
    // Vitest would leave one core free, which is half of a machine with two.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    // A busy machine may take its time; what never comes still fails. What has come is seen at once.
    expect: { poll: { interval: 5, timeout: 15_000 } },
  },
});
