import type { ConsoleApi } from '../api.js';
import { createGate, type GateOptions } from './gate.js';
import { createHandler } from './handler.js';
import { createNodePort, type NodePort } from './node-port.js';
import { createPageFiles } from './page-files.js';

/** A console on a port of Node. */
export interface ConsolePort extends NodePort {
  /** The key to print if one is needed. */
  readonly key: string;
}

/** Serves the page and the API of a console on a port, with every check of its callers. */
export function createConsolePort(api: ConsoleApi, options: GateOptions): ConsolePort {
  const gate = createGate(options);
  return { key: gate.key, ...createNodePort(createHandler(api, gate, createPageFiles())) };
}
