import { listen } from '../../../src/mock/adapters/node/index.ts';
import type { Mock } from '../../../src/mock/index.ts';

/** Serves a mock with its console on a port, until the mock is disposed. Returns the console's address. */
export async function serveConsole(mock: Mock): Promise<string> {
  const { console } = await listen(mock, { console: true });
  return console?.url ?? '';
}
