import type { Runtime } from './ky-platform.js';
import { tlsFailure } from './tls-failure.js';

/**
 * Node: ky loads all of `fetch`, which a program that only imports this package, or sends over `nodeTransport`, does
 * not need.
 */
export const platform: Runtime = {
  loadKy: async () => (await import('ky')).default,
  explain: tlsFailure,
};
