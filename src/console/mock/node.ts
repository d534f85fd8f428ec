// The entry `arango-services/mock/node`. It stands in this wing because it hands the console to the mock's port.
import { listenWith, type MockServer } from '../../mock/adapters/node/listen.js';
import type { ListenOptions } from '../../mock/adapters/node/listen-options.js';
import type { Mock } from '../../mock/mock.js';

export { listenGrpc, type MockGrpcServer } from '../../mock/adapters/grpc/listen-grpc.js';
export type { ListenGrpcOptions } from '../../mock/adapters/grpc/listen-grpc-options.js';
export { type MockPool, mockPool } from '../../mock/adapters/grpc/mock-pool.js';
export type { MockServer, ServedConsole } from '../../mock/adapters/node/listen.js';
export type { ListenOptions } from '../../mock/adapters/node/listen-options.js';
export type { ListeningAddress } from '../../mock/adapters/node/listening-address.js';
export { type Playback, type PlaybackOptions, playback } from '../../mock/adapters/node/playback/index.js';
export type { Timeouts } from '../../mock/adapters/node/timeouts.js';

/**
 * Serves a mock on a local port, over HTTP/1.1 and HTTP/2 without TLS (prior knowledge), until `close`, or until the
 * server or the mock is disposed.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an invalid option. Rejects with Node's own error if the
 * port is not available (`EADDRINUSE`).
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createMock } from 'arango-services/mock';
 * import { listen } from 'arango-services/mock/node';
 *
 * await using mock = await createMock();
 * await using server = await listen(mock, { cors: ['http://localhost:5173'] });
 * const client = createClient(server.connection);
 * ```
 */
export function listen(mock: Mock, options: ListenOptions = {}): Promise<MockServer> {
  return listenWith(mock, options, async () => (await import('./mock-console.js')).openMockConsole);
}
