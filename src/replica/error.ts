import { ArangoServicesError, isArangoServicesError } from '../errors.js';

/**
 * Why a replica does not do what was asked. `NOT_READY`: it has no whole state yet. `STALE`: it has heard nothing for a minute,
 * and is to refuse then. `CLOSED`: it is closed. `INVALID_TOKEN`: `authenticate` was given a token that is not valid.
 */
export type ReplicaReason = 'NOT_READY' | 'STALE' | 'CLOSED' | 'INVALID_TOKEN';

/** A replica cannot decide, or cannot become ready. Code `REPLICA`. */
export class ReplicaError extends ArangoServicesError<'REPLICA'> {
  declare readonly reason: ReplicaReason;

  constructor(reason: ReplicaReason, text: string) {
    super('ReplicaError', 'REPLICA', `${reason}: ${text}`, {}, { reason });
  }
}

/** A replica cannot decide, or cannot become ready. */
export const isReplicaError = (error: unknown): error is ReplicaError =>
  isArangoServicesError(error) && error.code === 'REPLICA';
