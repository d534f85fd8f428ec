import type { PoolKind } from '../pool/items.js';
import type { ReplicaStatus } from './status.js';

/**
 * Changes of one kind, or the first whole state (`all`). Decisions know them already. After everything was read again
 * there is one event for each kind of which something was added, removed or changed meanwhile; it comes a little later,
 * because large states are compared in slices.
 */
export interface ReplicaChange {
  readonly kind: PoolKind | 'all';
  /**
   * The names that changed, in the order of the changes; after everything was read again each once, in no particular
   * order. Empty for `all`. A binding's name is `user:role`.
   */
  readonly names: readonly string[];
}

/** The events of a replica and their values. */
export interface ReplicaEvents {
  readonly change: ReplicaChange;
  readonly status: ReplicaStatus;
}
