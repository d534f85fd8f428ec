import type { KyInstance } from 'ky';
import { kyTransport } from './ky-transport.js';
import type { Runtime } from './runtime.js';
import { tlsFailure } from './tls-failure.js';

/**
 * Node: ky loads all of `fetch`, which a program that only imports this package, or sends over `nodeTransport`, does
 * not need.
 */
export const platform: Runtime = {
  transport: (fetch) => {
    let ky: KyInstance | undefined;
    return kyTransport(fetch, async () => {
      ky ??= (await import('ky')).default;
      return ky;
    });
  },
  explain: tlsFailure,
};
