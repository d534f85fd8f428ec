import { kyTransport } from './ky-transport.js';
import type { Runtime } from './platform.js';
import { tlsFailure } from './tls-failure.js';

/**
 * Node: ky loads all of `fetch`, which a program that only imports this package, or sends over `nodeTransport`, does
 * not need.
 */
export const platform: Runtime = {
  transport: (fetch) => kyTransport(fetch, async () => (await import('ky')).default),
  explain: tlsFailure,
};
