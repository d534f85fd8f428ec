import { defineConfig } from 'vitest/config';

// What runs in the environments of React tests, which replace many of Node's classes by their own: `npm run test:dom`.
export default defineConfig({
  test: {
    testTimeout: 20_000,
    // Making an environment takes longer than the tests: the files of one share it.
    isolate: false,
    projects: ['jsdom', 'happy-dom'].map((environment) => ({
      extends: true,
      test: { name: environment, environment, include: ['test/dom/**/*.test.ts'] },
    })),
  },
});
