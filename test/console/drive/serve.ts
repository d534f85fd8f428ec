import { onTestFinished } from 'vitest';
import type { ConsoleApi } from '../../../src/console/api.ts';
import { createMockConsole } from '../../../src/console/mock/mock-api.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { serveConsole as serveWithKey } from '../../../src/console/server/serve.ts';
import type { Mock } from '../../../src/mock/index.ts';
import { openShop } from './shop.ts';

/** Serves a mock with its console on a port, until the mock is disposed. Returns the console's address. */
export async function serveConsole(mock: Mock): Promise<string> {
  const { console } = await listen(mock, { console: true });
  return console?.url ?? '';
}

/** Serves the console of a shop with a log of its command line, behind a key, until the test ends. */
export async function serveLog(read: ConsoleApi['log'], { name = 'sidecar.log', size = 1_000 } = {}) {
  const mock = await openShop();
  const api = createMockConsole(mock);
  const overview = async () => ({ ...(await api.overview()), log: { name, size }, file: null });
  const served = await serveWithKey({ ...api, overview, log: read }, 0);
  onTestFinished(async () => {
    await served.close();
    await mock[Symbol.asyncDispose]();
  });
  return { ...served, address: `${served.url}#key=${served.key}` };
}
