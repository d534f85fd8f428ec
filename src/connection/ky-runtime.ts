import ky from 'ky';
import { requireEngine } from './engine.js';
import { kyTransport } from './ky-transport.js';
import type { Runtime } from './runtime.js';

/** For browsers, workers and their bundles: includes ky, so that no call waits for another file. */
export const runtime: Runtime = { check: requireEngine, transport: (fetch) => kyTransport(fetch, () => ky) };
