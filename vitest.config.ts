import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { manifest } from './scripts/lib/package.ts';
import { releaseTests } from './scripts/lib/release-tests.ts';
import { TestOrder } from './scripts/lib/test-order.ts';
import { browserProject } from './test/browser/project.ts';

const undiciVersions = ['undici-oldest', 'undici-newest'];

// In place of each dependency the oldest release that package.json's range takes. Unit tests run over the newest, which
// the lock holds.
const oldestDependencies = Object.fromEntries(
  Object.keys(manifest.dependencies).map((name) => [name, `${name}-oldest`]),
);

/** The test files of a pattern that name a transport of Node: the others would run over the same fetch again. */
const overUndici = (pattern: string): string[] =>
  globSync(pattern, { cwd: import.meta.dirname }).filter((file) =>
    /support\/transports|nodeTransport/.test(readFileSync(new URL(file, import.meta.url), 'utf8')),
  );

/** They start processes, which find the packages of package.json in each project. */
const withProcesses = ['test/client/node/transport/loading.test.ts', 'test/client/connection/garbage.test.ts'];

const sourceOf = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

// A project for each way to run tests: `npm test` runs unit; the others have a script of their own in package.json.
// Type tests (`*.test-d.ts`) are read by tsc alone: `npm run typecheck` reports `expectTypeOf` and `@ts-expect-error`.
export default defineConfig(async () => ({
  resolve: {
    alias: {
      '#runtime': sourceOf('client/connection/ky-runtime-node.ts'),
      '#json-schema': sourceOf('mock/adapters/node/json-schema-peer-node.ts'),
      '#msw': sourceOf('mock/adapters/node/msw-peer.ts'),
    },
  },
  test: {
    // The modules are loaded once for each worker, not once for each file: nothing in src keeps state at module level,
    // and a test puts back what it changes in the globals.
    isolate: false,
    // One more than there are cores, since a quarter of a file's time is waiting for sockets, timers and processes.
    maxWorkers: availableParallelism() + 1,
    // Files run in random order, so that none needs another.
    sequence: { sequencer: TestOrder },
    // In a release, other stages run beside these tests.
    testTimeout: process.env.THOROUGH === '1' ? 180_000 : 60_000,
    // Some hooks pack the package or compile examples.
    hookTimeout: 60_000,
    // A busy machine may take its time; a value that never comes still fails, and one that came is seen at once.
    expect: { poll: { interval: 5, timeout: 15_000 } },
    projects: [
      {
        extends: true as const,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          setupFiles: [
            'test/support/real-timers.ts',
            // Set by scripts/check-alone.ts.
            ...(process.env.CPU_TIMES === undefined ? [] : ['test/support/cpu-time.ts']),
          ],
          exclude: [
            'test/{browser,deep,dom}/**',
            'test/{console,site,client/session,client/stream}/drive/**',
            // Set by scripts/test.ts.
            ...(process.env.RELEASE_TESTS === 'without' ? releaseTests : []),
          ],
        },
      },
      // The environments of React tests, which replace many of Node's classes by their own.
      ...['jsdom', 'happy-dom'].map((environment) => ({
        extends: true as const,
        test: { name: environment, environment, include: ['test/dom/**/*.test.ts'] },
      })),
      // The transport of Node over the oldest undici that package.json's range takes, and over the newest one. Unit
      // tests run over the one between.
      ...undiciVersions.map((undici) => ({
        extends: true as const,
        resolve: { alias: { undici } },
        test: {
          name: undici,
          env: { UNDICI: undici },
          include: [
            'test/client/node/transport/**/*.test.ts',
            ...overUndici('test/{client/{connection,route}/**/*,base/lib/url}.test.ts'),
          ],
          exclude: withProcesses,
        },
      })),
      // The suites of what uses the dependencies, with a part of the runs and cases (test/support/thorough.ts), and over
      // the transports that use ky.
      {
        extends: true as const,
        resolve: { alias: oldestDependencies },
        test: {
          name: 'dependencies-oldest',
          env: { DEPENDENCIES: 'oldest' },
          include: [
            'test/{client/{connection,route,runtimes,stream},base/jwt,permissions,enforce/token}/**/*.test.ts',
            'test/base/{lib/url,secrets/schema-issues}.test.ts',
            'test/mock/{config,services,state}/**/*.test.ts',
            'test/dependencies.test.ts',
          ],
          exclude: ['test/client/stream/drive/**', ...withProcesses],
        },
      },
      // Tests that take minutes, one file after the other.
      {
        extends: true as const,
        test: { name: 'deep', include: ['test/deep/**/*.test.ts'], fileParallelism: false, testTimeout: 60 * 60_000 },
      },
      // The console's page, driven in browsers, one file after the other.
      {
        extends: true as const,
        test: {
          name: 'console',
          include: ['test/console/drive/**/*.test.ts'],
          fileParallelism: false,
          // Real browsers behind their drivers lose an event now and then. A test that passes the second time is reported.
          retry: 1,
        },
      },
      // The site that `npm run site -- --check` builds, driven in browsers.
      {
        extends: true as const,
        test: { name: 'site', include: ['test/site/drive/**/*.test.ts'], fileParallelism: false },
      },
      // Sessions in tabs, views and uploads in browsers, one browser after the other.
      {
        extends: true as const,
        test: {
          name: 'tabs',
          include: ['test/{client/session,client/stream}/drive/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60 * 60_000,
          hookTimeout: 120_000,
        },
      },
      await browserProject(),
    ],
  },
}));
