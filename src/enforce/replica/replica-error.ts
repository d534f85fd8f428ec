import { ArangoServicesError, isArangoServicesError } from '../../base/arango-services-error.js';

/**
 * The reason for which a replica cannot do its work. `NOT_READY`: there is no complete confirmed state yet. `STALE`:
 * the service has not confirmed the state for a minute, has refused to, or was restored, and `whenStale` does not allow
 * further decisions. `CLOSED`: the replica is closed. `INVALID_TOKEN`: the token for `authenticate` is not valid.
 * `OTHER_HISTORY`: the service does not have the write that `reached` waits for, because it was made in another
 * deployment, or the deployment was restored.
 */
export type ReplicaReason = 'NOT_READY' | 'STALE' | 'CLOSED' | 'INVALID_TOKEN' | 'OTHER_HISTORY';

/** A replica cannot decide, or cannot become ready. Code `REPLICA`. */
export class ReplicaError extends ArangoServicesError<'REPLICA'> {
  declare readonly reason: ReplicaReason;

  constructor(reason: ReplicaReason, text: string) {
    super('ReplicaError', 'REPLICA', `${reason}: ${text}`, {}, { reason });
  }
}

/**
 * Tells whether an error is a {@link ReplicaError}: a replica cannot decide, or cannot become ready.
 *
 * @example
 * ```ts
 * const replica = createReplica({ address: '127.0.0.1:9201' });
 * try {
 *   replica.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders:7' });
 * } catch (error) {
 *   if (isReplicaError(error)) console.log(error.reason); // NOT_READY
 * }
 * ```
 */
export const isReplicaError = (error: unknown): error is ReplicaError =>
  isArangoServicesError(error) && error.code === 'REPLICA';
