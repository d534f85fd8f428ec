import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Tests that take minutes: `npm run check:deep`.
export default defineConfig({
  resolve: { alias: { '#platform': fileURLToPath(new URL('src/connection/ky-platform-node.ts', import.meta.url)) } },
  test: {
    include: ['test/deep/**/*.test.ts'],
    passWithNoTests: true,
    fileParallelism: false,
    testTimeout: 60 * 60_000,
  },
});
