import type { KyInstance } from 'ky';
import { kyTransport } from './ky-transport.js';
import type { Runtime } from './runtime.js';
import { tlsFailure } from './tls-failure.js';

/**
 * For Node: loads ky lazily, because it loads all of `fetch`, which is not needed to import this package or to send
 * over `nodeTransport`.
 */
export const runtime: Runtime = {
  transport: (fetch) => {
    let ky: KyInstance | undefined;
    return kyTransport(fetch, async () => {
      ky ??= (await import('ky')).default;
      return ky;
    });
  },
  explain: tlsFailure,
};
