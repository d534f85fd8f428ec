import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Entries = Readonly<Record<string, string>>;

function bundle(entry: Entries, external: RegExp[], emptyOutDir: boolean, conditions: readonly string[] = []) {
  return build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    resolve: { conditions: [...conditions, ...defaultClientConditions] },
    build: { outDir: 'reports/browser', emptyOutDir, lib: { entry, formats: ['es'] }, rolldownOptions: { external } },
  });
}

/** Bundles the built entries as an application would; the tests import these bundles (project.ts). */
export async function setup(): Promise<void> {
  await bundle({ 'main-entry': 'dist/index.js' }, [], true);
  await bundle({ 'without-ky': 'dist/index.js' }, [], false, ['without-ky']);
  await bundle({ failover: 'dist/failover/index.js' }, [], false);
  await bundle({ session: 'dist/session/index.js' }, [], false);
  // msw stays external: its handlers and its worker must come from one copy.
  await bundle({ mock: 'dist/mock/index.js', msw: 'dist/mock/adapters/msw.js' }, [/^msw/], false);
}
