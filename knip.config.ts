import type { KnipConfig } from 'knip';
import { manifest, readEntries, sourceOf } from './scripts/lib/package.ts';

export default {
  workspaces: {
    '.': {
      entry: [
        ...readEntries().map(sourceOf),
        'src/console/page/main.tsx',
        'src/console/page/log/reader/log-worker.ts',
        'scripts/lib/schemas/{decision,permissions,seed}*.ts',
        'src/console/{api,error}.ts',
        'tsup.config.ts',
        'scripts/*.ts',
        'scripts/runtimes/run-process.ts',
        'examples/*.ts',
        'test/**/*.test.ts',
        'test/**/*.test-d.ts',
        'test/browser/guarded-service.ts',
        'test/client/openapi/called-documents/cut.ts',
        'test/deep/soak/service.ts',
        'test/runtimes/{entry-*,vitest}.ts',
        'test/support/docs-runner.ts',
        'test/support/cpu-time.ts',
      ],
      project: ['src/**/*.{ts,tsx}', 'test/**/*.ts', 'scripts/**/*.ts', 'examples/*.ts'],
      vitest: { config: ['vitest.config.ts', 'vitest.mutation.config.ts'] },
      tsup: false,
      // Resolves to the built file, which may not be there yet.
      ignoreUnresolved: ['#vitest-setup'],
      // Of coreutils: a test reads a pipe.
      ignoreBinaries: ['mkfifo'],
      ignore: ['examples/{next-app,react-app,svelte-app,worker}/**'],
      ignoreDependencies: [
        '@arethetypeswrong/cli',
        // Modules that a test writes import these.
        '@octokit/openapi-types',
        'publint',
        'undici-newest',
        'undici-oldest',
        ...Object.keys(manifest.dependencies).map((name) => `${name}-oldest`),
      ],
    },
    // What a benchmark compares with stands in a package of its own, so that an install of this one does not bring it.
    bench: { entry: ['*.ts', 'decisions/measure.ts', 'policy/pairs.ts', 'policy/workloads.ts'], project: ['**/*.ts'] },
    // In a page it stands for node:assert.
    site: { entry: ['.vitepress/theme/run/assert.ts'], project: ['**/*.{ts,vue}'] },
  },
  compilers: {
    vue: (text: string) => [...text.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, code = '']) => code).join('\n'),
  },
} satisfies KnipConfig;
