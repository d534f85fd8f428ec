import type { OpenConsole } from '../../mock/adapters/node/console-port.js';
import { createConsolePort } from '../server/index.js';
import { createMockConsole } from './mock-api.js';

/** Opens the console of a mock on a port. */
export const openMockConsole: OpenConsole = (mock, url, access) => {
  const api = createMockConsole(mock, url);
  return { ...createConsolePort(api, access), close: api.close };
};
