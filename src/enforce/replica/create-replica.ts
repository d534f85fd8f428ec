import { requireEngine } from '../../base/lib/engine.js';
import { Replica } from './replica.js';
import { type ReplicaOptions, readSettings } from './replica-options.js';

/**
 * Creates a replica: it follows the policies, roles and bindings of a deployment over the pool streams of its gRPC
 * services, and decides in this process. It starts to connect at once. Requires the packages `@connectrpc/connect`,
 * `@connectrpc/connect-node` and `@bufbuild/protobuf`; `ready` rejects with the names of missing packages.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option, what is wrong with it and what is accepted.
 * @example
 * ```ts
 * const { credentials, modes } = fromEnv(process.env);
 * await using replica = createReplica({ address: '127.0.0.1:9201', credentials, type: modes.authorizationType });
 * await replica.ready({ timeout: 10_000 });
 * if (replica.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders:7' })) console.log('allowed');
 * ```
 */
export function createReplica(options: ReplicaOptions): Replica {
  requireEngine();
  return new Replica(readSettings(options));
}
