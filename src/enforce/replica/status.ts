import type { PoolKind } from '../../policy/pool/pool-items.js';
import { type Instant, Liveness } from './liveness.js';
import type { PoolIndexes } from './policy-copy.js';
import type { ReplicaFailure } from './replica-failure.js';

/**
 * `connecting`: there is no complete confirmed state yet. `live`: the service has confirmed the state of every kind
 * within the last minute. `stale`: the service has not confirmed some kind within the last minute, has contradicted
 * the copy, or refuses to confirm it. `closed`: the replica is closed.
 */
export type ReplicaState = 'connecting' | 'live' | 'stale' | 'closed';

/** The status of a replica at one moment. */
export interface ReplicaStatus {
  /** The state of the replica, which tells how fresh its decisions are. */
  readonly state: ReplicaState;
  /** The time at which this state began. */
  readonly since: Date;
  /** The time of the service's last message of any kind. Messages alone do not keep a replica live. */
  readonly lastMessageAt: Date | undefined;
  /** The index of the last applied change of each kind. */
  readonly indexes: PoolIndexes;
  /**
   * True if the changes cannot be followed, because the service no longer keeps the changes after the copy's newest
   * item. Everything is then read again, at intervals of 1 s, doubled up to 45 s.
   */
  readonly rereading: boolean;
  /** The last failure, without secrets; it may be over by now. */
  readonly lastError: ReplicaFailure | undefined;
}

/** Tracks the status of a replica, and emits each change of its state. */
export class StatusKeeper {
  #state: ReplicaState = 'connecting';
  #since = new Date();
  #lastMessageAt: Date | undefined;
  #lastError: ReplicaFailure | undefined;
  #rereading = false;
  readonly #liveness = new Liveness();
  readonly #onState: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onState: () => void) {
    this.#onState = onState;
  }

  /** The state according to the current time. */
  get state(): ReplicaState {
    if (this.#state === 'live' && !this.#liveness.within(0)) this.look();
    return this.#state;
  }

  get lastError(): ReplicaFailure | undefined {
    return this.#lastError;
  }

  at(indexes: PoolIndexes): ReplicaStatus {
    const { state } = this;
    return {
      state,
      since: this.#since,
      lastMessageAt: this.#lastMessageAt,
      indexes: { ...indexes },
      rereading: this.#rereading,
      lastError: this.#lastError,
    };
  }

  /** True while live, and for `ms` after it became stale. */
  within(ms: number): boolean {
    return this.#liveness.within(ms);
  }

  /** Records a message of the service; not every message confirms the copy. */
  message(): void {
    this.#lastMessageAt = new Date();
  }

  /** Records that the service has, or had at this time, the copy's state of a kind. */
  shown(kind: PoolKind, at?: Instant): void {
    this.#liveness.shown(kind, at);
    if (this.#state !== 'live') this.look();
  }

  /** Records that the copy of a kind was replaced by a state read at this time. */
  replaced(kind: PoolKind, at: Instant): void {
    this.#liveness.replaced(kind, at);
    this.look();
  }

  /** Discards all confirmations: the service has contradicted the copy, or refuses to confirm it. */
  refuted(): void {
    this.#liveness.forget();
    this.look();
  }

  failed({ code, message, at }: ReplicaFailure): void {
    this.#lastError = { code, message, at };
  }

  /** Records if the changes cannot be followed, so that everything is read again with backoff. */
  rereading(on: boolean): void {
    this.#rereading = on;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#become('closed', new Date());
  }

  /** Recomputes the state, and emits an event if it has changed. */
  look(): void {
    const { until } = this.#liveness;
    if (until === undefined || this.#state === 'closed') return;
    clearTimeout(this.#timer);
    if (this.#liveness.within(0)) {
      this.#timer = setTimeout(() => this.look(), Math.ceil(this.#liveness.leftMs()));
      this.#become('live', new Date());
    } else this.#become('stale', new Date(Math.min(Date.now(), until.wall)));
  }

  #become(state: ReplicaState, since: Date): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = since;
    this.#onState();
  }
}
