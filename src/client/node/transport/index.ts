import type { EndedTransport, Transport } from '../../connection/transport.js';
import { wayTo } from './connect.js';
import type { Unread } from './node-response.js';
import { Semaphore } from './semaphore.js';
import { type Lane, sendOver } from './send.js';
import { type NodeTransportOptions, readNodeTransportOptions } from './transport-options.js';
import { createTrust } from './trust.js';
import { loadUndici, type Undici } from './undici.js';

/**
 * Creates a transport over undici instead of `fetch`: at half the cost or less, with custom TLS trust, Unix domain
 * sockets and proxies. Requires the package undici (7.16 or later, or 8), which is loaded with the first call. It
 * closes with the last client that uses it; a client created with it afterwards opens new connections.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
 * @example
 * ```ts
 * const transport = nodeTransport({ tls: { caFile: '/etc/ca.pem' } });
 * const client = createClient({ url: 'https://db.example:8529', transport });
 * ```
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  const settings = readNodeTransportOptions(options);
  const trust = createTrust(settings.tls ?? {});
  const lanes = new Map<string, Lane>();
  const unread: Unread = new FinalizationRegistry((incoming) => incoming.cancel());
  let laneTo: ((origin: string) => Lane) | undefined;

  const lanesOver =
    (undici: Undici) =>
    (origin: string): Lane => {
      let lane = lanes.get(origin);
      if (lane === undefined) {
        const { connections, keepAliveMs } = settings;
        const { connect, forward } = wayTo(origin, settings, trust, undici);
        const pool = undici.createPool(origin, connect, {
          pipelining: 1,
          // undici 8 would first open one connection to negotiate HTTP/2, while the others wait.
          allowH2: false,
          // The call's deadline covers these.
          headersTimeout: 0,
          bodyTimeout: 0,
          ...(connections !== undefined && { connections }),
          ...(keepAliveMs !== undefined && { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
        });
        // A call cannot leave undici's queue: undici would connect for it even after its abort.
        const slots = connections === undefined ? undefined : new Semaphore(connections);
        lane = { pool, forward, slots, unread };
        lanes.set(origin, lane);
      }
      return lane;
    };

  const sendFirst: EndedTransport['send'] = async (url, request, ends) => {
    const undici = await loadUndici();
    laneTo ??= lanesOver(undici);
    return sendOver(laneTo, url, request, ends);
  };
  // Not an async function, which would cost each call another promise.
  const send: EndedTransport['send'] = (url, request, ends) =>
    laneTo ? sendOver(laneTo, url, request, ends) : sendFirst(url, request, ends);

  const transport: Transport & EndedTransport = {
    sendsContentLength: true,
    takesEnds: send,
    send,
    async close(): Promise<void> {
      const open = [...lanes.values()];
      lanes.clear();
      await Promise.all(open.map(({ pool }) => pool.close()));
    },
  };
  return transport;
}
