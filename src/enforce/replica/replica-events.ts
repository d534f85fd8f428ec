import type { PoolKind } from '../../policy/pool/pool-items.js';
import type { ReplicaStatus } from './status.js';

/**
 * Changes of one kind, or the first complete state (`all`). Decisions already reflect them. A full read emits one event
 * for each kind with differences; it comes a little later, because large states are compared in slices.
 */
export interface ReplicaChange {
  readonly kind: PoolKind | 'all';
  /**
   * The changed names, in the order of the changes. After a full read each name occurs once, in no particular order.
   * Empty for `all`. The name of a binding is `user:role` or `group:role`.
   */
  readonly names: readonly string[];
}

/** The events of a replica and their values. */
export type ReplicaEvents = { readonly change: ReplicaChange; readonly status: ReplicaStatus };
