import { defineConfig } from 'vitest/config';

// The long runs of `npm run check:deep`.
export default defineConfig({
  test: { include: ['test/deep/**/*.test.ts'], testTimeout: 600_000 },
});
