import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The transport of Node over the oldest undici that package.json's range takes, and over the newest one:
// `npm run test:undici`. The other suites run over the one between.
export default defineConfig({
  resolve: { alias: { '#platform': fileURLToPath(new URL('src/connection/ky-platform-node.ts', import.meta.url)) } },
  test: {
    isolate: false,
    testTimeout: 60_000,
    expect: { poll: { interval: 5, timeout: 15_000 } },
    projects: ['undici-oldest', 'undici-newest'].map((undici) => ({
      extends: true,
      resolve: { alias: { undici } },
      test: {
        name: undici,
        env: { UNDICI: undici },
        include: ['test/{connection,node/transport,route}/**/*.test.ts'],
        // It runs processes of their own over the built package, which find the undici of package.json.
        exclude: ['test/node/transport/loading.test.ts'],
      },
    })),
  },
});
