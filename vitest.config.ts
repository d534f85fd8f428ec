import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Type tests (`*.test-d.ts`) are read by tsc alone: `npm run typecheck` reports `expectTypeOf` and `@ts-expect-error`.
export default defineConfig({
  resolve: { alias: { '#platform': fileURLToPath(new URL('src/connection/ky-platform-node.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**', 'test/deep/**', 'test/dom/**'],
    testTimeout: 20_000,
    // A busy machine may take its time; what never comes still fails.
    expect: { poll: { timeout: 15_000 } },
  },
});
