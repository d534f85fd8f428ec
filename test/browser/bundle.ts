import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Bundles the built main entry as an application would; the tests import this bundle (vitest.browser.config.ts). */
export async function setup(): Promise<void> {
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: 'reports/browser',
      lib: { entry: 'dist/index.js', formats: ['es'], fileName: 'main-entry' },
    },
  });
}
