import { type PoolKind, poolKinds } from '../pool/items.js';
import type { Indexes } from './copy.js';
import type { ReplicaFailure } from './failure.js';

/**
 * `connecting`: there is no whole state yet. `live`: there is one, and the service was heard of every kind within a
 * minute. `stale`: of one kind it was not. `closed`: it was closed.
 */
export type ReplicaState = 'connecting' | 'live' | 'stale' | 'closed';

/** How a replica is, at a moment. */
export interface ReplicaStatus {
  /** Whether it decides, and from how fresh a state. */
  readonly state: ReplicaState;
  /** Since when it is in this state. */
  readonly since: Date;
  /** When it heard of the service last, of whatever kind. */
  readonly lastMessageAt: Date | undefined;
  /** The index of the last change of each kind that decisions know. */
  readonly indexes: Indexes;
  /**
   * True where the changes cannot be followed, because the newest item is older than the changes that the service
   * keeps: everything is read again, after 1 s, doubling to 60 s.
   */
  readonly rereading: boolean;
  /** The last failure, without secrets; it may be over. */
  readonly lastError: ReplicaFailure | undefined;
}

const staleAfterMs = 60_000;

/** Knows how a replica is. It tells of each change of its state. */
export class StatusKeeper {
  #state: ReplicaState = 'connecting';
  #since = new Date();
  #lastMessageAt: Date | undefined;
  #lastError: ReplicaFailure | undefined;
  #rereading = false;
  readonly #heardAt: Record<PoolKind, number>;
  readonly #onState: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onState: () => void) {
    const now = performance.now();
    this.#heardAt = { policies: now, roles: now, bindings: now };
    this.#onState = onState;
  }

  get state(): ReplicaState {
    return this.#state;
  }

  get lastError(): ReplicaFailure | undefined {
    return this.#lastError;
  }

  at(indexes: Indexes): ReplicaStatus {
    return {
      state: this.#state,
      since: this.#since,
      lastMessageAt: this.#lastMessageAt,
      indexes: { ...indexes },
      rereading: this.#rereading,
      lastError: this.#lastError,
    };
  }

  heard(kind: PoolKind): void {
    this.#lastMessageAt = new Date();
    this.#heardAt[kind] = performance.now();
    if (this.#state === 'stale') this.#look();
  }

  /** There is a whole state. */
  ready(): void {
    if (this.#state !== 'closed') this.#look();
  }

  failed({ code, message, at }: ReplicaFailure): void {
    this.#lastError = { code, message, at };
  }

  rereading(on: boolean): void {
    this.#rereading = on;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#become('closed');
  }

  /** Live or stale: by the kind of which nothing was heard for longest. */
  #look(): void {
    clearTimeout(this.#timer);
    const left = Math.min(...poolKinds.map((kind) => this.#heardAt[kind])) + staleAfterMs - performance.now();
    if (left > 0) this.#timer = setTimeout(() => this.#look(), Math.ceil(left));
    this.#become(left > 0 ? 'live' : 'stale');
  }

  #become(state: ReplicaState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = new Date();
    this.#onState();
  }
}
