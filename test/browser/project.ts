import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import type { UserWorkspaceConfig } from 'vitest/config';

// Set by scripts/browser-tests.ts; without it Playwright looks for its own browser.
const { CHROME_PATH } = process.env;

const bundled = (name: string) => fileURLToPath(new URL(`../../reports/browser/${name}.js`, import.meta.url));

/** A free port, for the page, since the mock's CORS lists its origin, and for a service (test/browser/servers.ts). */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast: a server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The tests that run in a Chromium page. */
export async function browserProject(): Promise<UserWorkspaceConfig> {
  return {
    publicDir: 'test/browser/public',
    // All packages that tests import: if Vite discovers one during a run, it reloads the page.
    optimizeDeps: { include: ['ky', 'zod/mini', 'msw/http', 'msw/browser'], noDiscovery: true },
    // Not dist itself, but Vite's bundle of it (test/browser/bundle.ts).
    resolve: {
      alias: [
        { find: /^arango-services$/, replacement: bundled('main-entry') },
        { find: /^arango-services\/without-ky$/, replacement: bundled('without-ky') },
        { find: /^arango-services\/failover$/, replacement: bundled('failover') },
        { find: /^arango-services\/session$/, replacement: bundled('session') },
        { find: /^arango-services\/mock$/, replacement: bundled('mock') },
        { find: /^arango-services\/mock\/msw$/, replacement: bundled('msw') },
      ],
    },
    test: {
      name: 'browser',
      api: { port: await freePort(), strictPort: true },
      include: ['test/browser/**/*.test.ts'],
      globalSetup: ['test/browser/bundle.ts', 'test/browser/servers.ts'],
      testTimeout: 20_000,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({
          launchOptions: {
            ...(CHROME_PATH === undefined ? {} : { executablePath: CHROME_PATH }),
            args: [
              '--no-sandbox',
              '--disable-gpu',
              '--disable-quic',
              '--no-first-run',
              '--disable-background-networking',
              '--disable-component-update',
              '--disable-sync',
            ],
          },
        }),
        instances: [{ browser: 'chromium' }],
      },
    },
  };
}
