import type { KyInstance } from 'ky';
import { encodeFiles } from '../runtimes/multipart.js';
import { tlsFailure, tooSlow, unreadable, wordedFailure } from '../runtimes/runtime-failure.js';
import { userAgent } from '../runtimes/user-agent.js';
import { kyTransport, type Runtime } from './fetch-transport.js';

/**
 * For Node: loads ky lazily, because it loads all of `fetch`, which is not needed to import this package or to send
 * over `nodeTransport`.
 */
export const runtime: Runtime = {
  transport: (fetch) => {
    let ky: KyInstance | undefined;
    const { send } = kyTransport(fetch, async () => {
      ky ??= (await import('ky')).default;
      return ky;
    });
    // The runtime's own `fetch` would send its name, like `node`.
    const own = { 'user-agent': userAgent() };
    return {
      send: fetch ? send : (url, request) => send(url, { ...request, headers: { ...own, ...request.headers } }),
    };
  },
  explain: (error, callInfo) =>
    unreadable(error, callInfo) ??
    tooSlow(error, callInfo) ??
    tlsFailure(error, callInfo) ??
    wordedFailure(error, callInfo),
  // Certificates, handshakes, unknown hosts, answers that cannot be read, and the limits of Node's fetch.
  lasting: /CERT|SSL|TLS|SIGNATURE|ENOTFOUND|HPE_|UND_ERR_(HEADERS|BODY)|ERR_STRING_TOO_LONG/,
  // Bun drops the files of a Blob that is made of several parts, and sends forms well.
  ...(!('Bun' in globalThis) && { encode: encodeFiles }),
};
