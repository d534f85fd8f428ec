import type { AccessOptions } from '../../console/server/access.js';
import { type ConsolePort, createConsolePort } from '../../console/server/index.js';
import type { Mock } from '../mock.js';
import { createMockConsole } from './mock-api.js';

/** Opens the console of a mock on a port. `url` is the base URL of the port. */
export function openMockConsole(
  mock: Mock,
  url: () => string,
  options: AccessOptions,
): ConsolePort & { close(): void } {
  const api = createMockConsole(mock, url);
  return { ...createConsolePort(api, options), close: api.close };
}
