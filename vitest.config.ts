import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**', 'test/deep/**'],
    typecheck: { enabled: false },
    testTimeout: 20_000,
  },
});
