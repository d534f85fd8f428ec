import { requireEngine } from './engine.js';
import { fetchTransport } from './fetch-transport.js';
import type { Runtime } from './runtime.js';

/** What bundlers with the condition `without-ky` take in place of `ky-platform`: requests go to `fetch` itself. */
export const platform: Runtime = { check: requireEngine, transport: fetchTransport };
