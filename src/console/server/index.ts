import type { ConsoleApi } from '../api.js';
import { type AccessOptions, createAccess } from './access.js';
import { createHandler } from './handler.js';
import { createNodePort, type NodePort } from './node-port.js';
import { createPageFiles } from './page-files.js';

export interface ConsolePort extends NodePort {
  /** The key to print, for consoles that need one. */
  readonly key: string;
}

/** Serves the page and the API of a console, and checks every caller. */
export function createConsolePort(api: ConsoleApi, options: AccessOptions): ConsolePort {
  const access = createAccess(options);
  return { key: access.key, ...createNodePort(createHandler(api, access, createPageFiles())) };
}
