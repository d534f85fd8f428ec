/// <reference lib="esnext.disposable" preserve="true" />
import { Backoff } from '../../base/lib/backoff.js';
import { childController, scopedController, sleep } from '../../base/lib/wait.js';
import { itemsInMessage, type PoolItem, type PoolKind, poolPermissions } from '../../policy/pool/pool-items.js';
import { instant, since } from './liveness.js';
import type { PoolSession } from './pool-session.js';
import {
  type Failure,
  outOfRangeCode,
  ownFailure,
  permissionDeniedCode,
  SilenceError,
  unavailable,
} from './replica-failure.js';
import { type SyncedState, sameItem } from './synced-state.js';

// The service sends an empty message after this long without a change. docs/decisions/replica.md explains the 2 s.
const timeoutMs = 2_000;
// A stream of changes that is silent for longer is dead, even if the connection still answers pings.
const silenceMs = 20_000;
/** A kind whose changes were followed for at least this long may be read again at once; otherwise with backoff. */
const followedMs = 60_000;

/** The reason why the changes of a kind can no longer be applied to the copy. */
export interface Loss {
  readonly kind: PoolKind;
  readonly failure: Failure;
  /** True if the service has shown a history that contradicts the copy. */
  readonly refutes: boolean;
  /** True if the service has confirmed the history of the copy for some time after it was read. */
  readonly followed: boolean;
}

/** The events of a follower. */
export interface FollowerListener {
  /** Called before each message; the listener may restart the stream. */
  hearing(): void;
  /** The stream was accepted: the service has confirmed the copy's history and has sent all changes since. */
  accepted(kind: PoolKind): void;
  /** A message arrived on an accepted stream. */
  heard(kind: PoolKind): void;
  changed(kind: PoolKind, items: readonly PoolItem[]): void;
  /** A stream broke. Another stream is opened after a pause. */
  broke(kind: PoolKind): void;
  failed(failure: Failure): void;
  /** The follower has stopped, and a full read is required. */
  lost(loss: Loss): void;
  toFailure(error: unknown): Failure;
}

/** The copy of one kind of items, as it was read. */
type Copy = { readonly kind: PoolKind; readonly state: SyncedState };

/**
 * Follows the changes of one kind. A stream begins one index before the newest item of the copy. If the service then
 * repeats that item, its history is that of the copy. Until this, and until all later changes have arrived, the stream
 * is not accepted: its changes may lead through past states.
 */
export class Follower {
  readonly kind: PoolKind;
  /** Resolves when the follower has stopped and released its stream. */
  readonly done: Promise<void>;
  readonly #session: PoolSession;
  readonly #listener: FollowerListener;
  readonly #stop;
  readonly #backoff = new Backoff({ firstMs: 250, longestMs: 15_000, jitter: 0.5 });
  #state: SyncedState;
  #stateAt = instant();
  #accepted = false;
  #followed = false;
  /** Aborts the open stream. */
  #stream = new AbortController();
  /** The last index received on the open stream. */
  #position = 0;
  /** Changes received since the current read began; undefined if unknown. */
  #pending: PoolItem[] | undefined;

  constructor({ kind, state }: Copy, session: PoolSession, listener: FollowerListener, signal: AbortSignal) {
    this.kind = kind;
    this.#state = state;
    this.#session = session;
    this.#listener = listener;
    this.#stop = childController(signal);
    this.done = this.#run(this.#stop.signal);
  }

  /** True if the open stream was accepted. */
  get accepted(): boolean {
    return this.#accepted;
  }

  /** Opens another stream at once and ignores later messages of this one. */
  restart(): void {
    this.#dropped();
    this.#stream.abort();
  }

  /** Begins to collect changes, because a full read starts. */
  readBegins(): void {
    this.#pending = this.#accepted ? [] : undefined;
  }

  /** Continues on the same stream from a state just read; false if the stream was not accepted during the read. */
  goOn(state: SyncedState): boolean {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined || !this.#accepted) return false;
    this.#state = state;
    this.#stateAt = instant();
    this.#followed = false;
    for (const item of pending) if (item.index > state.copy.indexes[this.kind]) state.apply(this.kind, item, true);
    return true;
  }

  end(): void {
    this.#stop.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { kind } = this;
    while (!signal.aborted) {
      this.#stream = new AbortController();
      using stream = scopedController(signal, this.#stream.signal);
      const loss = await this.#follow(stream.signal).catch((error: unknown) => {
        if (stream.signal.aborted) return undefined;
        const failure = this.#listener.toFailure(error);
        if (failure.grpcCode === outOfRangeCode) return { failure, refutes: false };
        this.#listener.failed(failure.grpcCode === permissionDeniedCode ? withPermission(failure, kind) : failure);
        return undefined;
      });
      this.#dropped();
      if (signal.aborted) return;
      const followed = this.#followed && since(this.#stateAt) >= followedMs;
      if (loss !== undefined) return this.#listener.lost({ kind, followed, ...loss });
      if (this.#stream.signal.aborted) continue;
      this.#listener.broke(kind);
      await sleep(this.#backoff.next(), { signal });
    }
  }

  #dropped(): void {
    this.#accepted = false;
    this.#pending = undefined;
  }

  /** Follows one stream until it breaks or the copy can no longer be followed. */
  async #follow(signal: AbortSignal): Promise<Omit<Loss, 'kind' | 'followed'> | undefined> {
    const { kind } = this;
    const overdue = () => new SilenceError(`following the ${kind}: no message for ${silenceMs / 1_000} s`);
    this.#position = Math.max(0, (this.#state.newest(kind)?.index ?? 0) - 1);
    const changes = { start: this.#position, timeoutMs };
    // Items of a stream that is not yet accepted.
    const behind: PoolItem[] = [];
    for await (const message of this.#session.open({ kind, changes }, signal, silenceMs, overdue)) {
      this.#listener.hearing();
      if (signal.aborted) return undefined;
      const items = [...message];
      const isFirst = !this.#accepted;
      if (isFirst) {
        const problem = behind.length > 0 ? undefined : this.#judge(items[0]);
        if (problem !== undefined) return refuted(problem);
        behind.push(...items);
        // A full message: more items follow.
        if (items.length >= itemsInMessage) continue;
      }
      this.#accepted = true;
      this.#followed = true;
      const loss = this.#take(isFirst ? behind : items);
      if (loss !== undefined) return loss;
      this.#backoff.reset();
      if (isFirst) this.#listener.accepted(kind);
      this.#listener.heard(kind);
    }
    if (!signal.aborted) throw unavailable(`the stream of the ${kind} ended`);
    return undefined;
  }

  /** Checks the first item of a stream. Returns the problem if the service has another history than the copy. */
  #judge(first: PoolItem | undefined): string | undefined {
    const newest = this.#state.newest(this.kind);
    if (newest === undefined) return undefined;
    const lead = `the service does not have this copy's ${this.kind}: `;
    if (first === undefined) return `${lead}it has none with the index ${newest.index}`;
    if (sameItem(first, newest)) return undefined;
    // If a later write replaced an item of the same name, the service may omit the item.
    if (first.name === newest.name && first.index === newest.index + 1) {
      this.#position = newest.index;
      return undefined;
    }
    return `${lead}index ${newest.index} is another item`;
  }

  /** Applies changes, each exactly once and in order. Returns the problem if a change is missing. */
  #take(items: readonly PoolItem[]): ReturnType<typeof refuted> | undefined {
    const { kind } = this;
    const { copy } = this.#state;
    const taken: PoolItem[] = [];
    let loss: ReturnType<typeof refuted> | undefined;
    for (const item of items) {
      const { index } = item;
      // This change was already received.
      if (index === this.#position) continue;
      if (index !== this.#position + 1) {
        loss = refuted(`the index of the ${kind} went from ${this.#position} to ${index}`);
        break;
      }
      this.#position = index;
      this.#pending?.push(item);
      const newest = this.#state.newest(kind);
      if (index === newest?.index && !sameItem(item, newest)) {
        loss = refuted(`index ${index} of the ${kind} is not the item that was read`);
        break;
      }
      // The state that was read includes this change.
      if (index <= copy.indexes[kind]) continue;
      this.#state.apply(kind, item, true);
      taken.push(item);
    }
    if (taken.length > 0) this.#listener.changed(kind, taken);
    return loss;
  }
}

const refuted = (message: string) => ({ failure: ownFailure(outOfRangeCode, message), refutes: true });

/** Adds the missing permission to a failure. */
function withPermission(failure: Failure, kind: PoolKind): Failure {
  const needed = `the permission ${poolPermissions[kind]} on the resource "", which only the pattern * matches`;
  return { ...failure, message: `${failure.message}; following the ${kind} needs ${needed}` };
}
