import type { Fidelity } from '../../../policy/index.js';
import type { PoolTransport } from '../../../policy/pool/pool-items.js';
import type { Mock } from '../../mock.js';
import { openStream } from '../../server/stream-source.js';
import { readMock } from '../read-mock.js';

/** A mock as a replica's transport. */
export interface MockPool extends PoolTransport {
  /** The mock's fidelity, the default of a replica whose options name none. */
  readonly fidelity: Fidelity;
  /** The mock's authorization type, the default of a replica whose options name none. */
  readonly type: Mock['settings']['authorization']['type'];
}

/**
 * A transport to a mock without a port, for `createReplica({ transport: mockPool(mock) })`. It needs no gRPC packages.
 * A replica with credentials needs the same permissions as in a deployment; one without is the superuser.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a value that is not a mock.
 * @example
 * ```ts
 * await using mock = await createMock({ users: [{ name: 'alice' }] });
 * await using replica = createReplica({ transport: mockPool(mock) });
 * await replica.ready();
 * ```
 */
export function mockPool(mock: Mock): MockPool {
  const { fidelity, authorization } = readMock(mock).settings;
  const source = mock.parts;
  const closed = new AbortController();
  return {
    fidelity,
    type: authorization.type,
    async *open(call, authorization, signal) {
      const header = authorization ?? `bearer ${await mock.tokens.issue({ user: null })}`;
      const headers = new Map([['authorization', header]]);
      yield* openStream(source, call, headers, AbortSignal.any([signal, closed.signal]));
    },
    close: () => closed.abort(),
    // A restore breaks every stream.
    connection: () => source.platform.epochs.current(),
  };
}
