import { defineConfig } from 'vitest/config';

// Tests that take minutes: `npm run check:deep`.
export default defineConfig({
  test: {
    include: ['test/deep/**/*.test.ts'],
    passWithNoTests: true,
    fileParallelism: false,
    testTimeout: 60 * 60_000,
  },
});
