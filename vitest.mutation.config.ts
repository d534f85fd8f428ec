import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// What a mutant of src/policy is run against: the policy tests without the slow random ones, which seldom see what these do not.
export default defineConfig({
  resolve: { alias: { '#platform': fileURLToPath(new URL('src/connection/ky-platform-node.ts', import.meta.url)) } },
  test: {
    include: ['test/policy/*.test.ts'],
    exclude: ['test/policy/{differential,properties,changes}.test.ts'],
    testTimeout: 120_000,
  },
});
