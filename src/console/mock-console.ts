import type { Mock } from '../mock/mock.js';
import { createMockConsole } from './mock-api.js';
import type { GateOptions } from './server/gate.js';
import { type ConsolePort, createConsolePort } from './server/index.js';

/** Opens the console of a mock on a port. `url` is the base URL of the port. */
export function openMockConsole(mock: Mock, url: () => string, options: GateOptions): ConsolePort & { close(): void } {
  const api = createMockConsole(mock, url);
  return { ...createConsolePort(api, options), close: api.close };
}
