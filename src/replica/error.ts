import { ArangoServicesError, isArangoServicesError } from '../errors.js';

/**
 * Why a replica does not do what was asked. `NOT_READY`: it has no whole state yet that the service has confirmed.
 * `STALE`: the service no longer confirms it (for a minute, or since a refusal or a restore), and `whenStale` lets it
 * serve no longer. `CLOSED`: it is closed. `INVALID_TOKEN`: `authenticate` was given a token that is not valid.
 */
export type ReplicaReason = 'NOT_READY' | 'STALE' | 'CLOSED' | 'INVALID_TOKEN';

/** A replica cannot decide, or cannot become ready. Code `REPLICA`. */
export class ReplicaError extends ArangoServicesError<'REPLICA'> {
  /** Why it cannot decide. */
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
