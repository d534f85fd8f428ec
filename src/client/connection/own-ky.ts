import type { KyInstance, Options } from 'ky';
import { InvalidArgumentError } from '../../base/errors.js';
import { fetchTransport, passedThrough, withBytes } from './fetch-transport.js';
import type { Transport } from './transport.js';

/** Sends by a caller's ky, whose hooks see method, URL and headers; body and signal bypass it (see `kyTransport`). */
export function ownKyTransport(ky: KyInstance): Transport {
  const plain = fetchTransport(undefined);
  const instance = ky.extend({ ...passedThrough, totalTimeout: false });
  return {
    async send(url, request) {
      const { method, headers } = request;
      let failure: unknown;
      // The cast: ky calls it with a Request.
      const fetch = (async (hooked: Request) => {
        try {
          // Read once: the URL of a hook's own Request may change between reads.
          const { href, origin } = new URL(hooked.url);
          if (origin !== new URL(url).origin) throw new InvalidArgumentError('ky', 'a hook changed the origin');
          const sent = { ...request, method: hooked.method, headers: Object.fromEntries(hooked.headers) };
          return await plain.send(href, sent);
        } catch (error) {
          failure = error;
          throw error;
        }
      }) as typeof globalThis.fetch;
      // Runs after the instance's own `init` hooks, which may change every option. Changes by other hooks are visible
      // in the URL.
      const init = (set: Options) => {
        set.fetch = fetch;
      };
      try {
        // A hook may return a response itself.
        return withBytes(await instance(url, { method, headers, fetch, hooks: { init: [init] } }));
      } catch {
        // If sending did not fail, a hook threw.
        throw failure ?? new InvalidArgumentError('ky', 'a hook threw');
      }
    },
  };
}
