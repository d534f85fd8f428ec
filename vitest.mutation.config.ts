import { defineConfig } from 'vitest/config';

// What a mutant of src/policy is run against: the policy tests without the slow random ones, which seldom see what these do not.
export default defineConfig({
  test: {
    include: ['test/policy/*.test.ts'],
    exclude: ['test/policy/differential.test.ts', 'test/policy/properties.test.ts'],
    testTimeout: 20_000,
  },
});
