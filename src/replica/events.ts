import type { PoolKind } from '../pool/items.js';
import type { ReplicaStatus } from './status.js';

/** What became known: changes of one kind, or a whole state (`all`). Decisions know it already. */
export interface ReplicaChange {
  readonly kind: PoolKind | 'all';
  /** The names that changed, in order; none for a whole state. A binding's name is `user:role`. */
  readonly names: readonly string[];
}

/** What a replica tells of, and what comes with it. */
export interface ReplicaEvents {
  readonly change: ReplicaChange;
  readonly status: ReplicaStatus;
}
