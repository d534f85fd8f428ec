import type { AccessOptions, ConsolePort } from '../../mock/adapters/node/console-port.js';
import type { ConsoleApi } from '../api.js';
import { createHandler } from './handler.js';
import { createNodePort } from './node-port.js';
import { createAccess } from './page-access.js';
import { createPageFiles } from './page-files.js';

/** Serves the page and the API of a console, and checks every caller. */
export function createConsolePort(api: ConsoleApi, options: AccessOptions): ConsolePort {
  const access = createAccess(options);
  return { key: access.key, ...createNodePort(createHandler(api, access, createPageFiles())) };
}
