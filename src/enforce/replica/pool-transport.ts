import { optionsOf, type ReadersOf, readFields } from '../../base/lib/readers.js';
import type { TlsOptions } from '../../client/node/transport/transport-options.js';
import type { PoolTransport } from '../../policy/pool/pool-items.js';
import { readAddress } from './address.js';
import { openPoolTransport } from './open-pool-transport.js';
import { ReplicaError } from './replica-error.js';
import { readTlsOrFlag } from './replica-options.js';

/** Options of {@link poolTransport}. */
export interface PoolTransportOptions {
  /**
   * TLS with the default CAs (`true`) or with other settings. Default: as the scheme of the URL says; no TLS for
   * `host:port`.
   */
  readonly tls?: boolean | TlsOptions | undefined;
}

export const readPoolTransportOptions = optionsOf({ tls: readTlsOrFlag } satisfies ReadersOf<PoolTransportOptions>);

/** A message may be larger than any that the services send: 128 items of 64 KiB. */
const mostMessageBytes = 8 * 1_024 * 1_024;

/**
 * A transport of the pool streams over gRPC, for `verify` and for tools of your own. It connects when the first stream
 * is opened; `close` ends it.
 * @param address `host:port`, as in `INTEGRATION_SERVICE_ADDRESS`, or an http: or https: URL without a path.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an address or an option that is not valid; streams reject
 *   with ReplicaError (code `REPLICA`) naming packages that are missing, or with the reason `CLOSED` after `close`.
 * @example
 * ```ts
 * import { poolTransport } from 'arango-services/replica';
 *
 * const streams = poolTransport('127.0.0.1:9201');
 * for await (const items of streams.open({ kind: 'policies' }, `bearer ${token}`, AbortSignal.timeout(5_000))) {
 *   for (const { name, index } of items) console.log(name, index);
 * }
 * streams.close();
 * ```
 */
export function poolTransport(address: string | URL, options: PoolTransportOptions = {}): PoolTransport {
  const { tls } = readFields(options, 'options', readPoolTransportOptions);
  const target = readAddress(address, tls === undefined ? undefined : tls !== false);
  let opened: Promise<PoolTransport> | undefined;
  let isClosed = false;
  const settings = {
    transport: undefined,
    target,
    tls: typeof tls === 'object' ? tls : {},
    maxMessageBytes: mostMessageBytes,
  };
  return {
    async *open(call, authorization, signal) {
      if (!isClosed) opened ??= openPoolTransport(settings);
      const transport = await opened;
      // A closed connection would be opened again, and nothing would close it.
      if (isClosed || transport === undefined) throw new ReplicaError('CLOSED', 'the transport is closed');
      yield* transport.open(call, authorization, signal);
    },
    close() {
      isClosed = true;
      void opened?.then(
        (transport) => transport.close(),
        () => undefined,
      );
    },
  };
}
