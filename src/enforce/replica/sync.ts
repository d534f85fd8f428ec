/// <reference lib="esnext.disposable" preserve="true" />
import { type ChildController, scopedController, sleep } from '../../base/lib/wait.js';
import type { Fidelity } from '../../policy/index.js';
import { type PoolItem, type PoolKind, poolKinds } from '../../policy/pool/pool-items.js';
import { Follower, type FollowerListener, type Loss } from './follower.js';
import { Heartbeat } from './heartbeat.js';
import type { Instant } from './liveness.js';
import type { PolicyCopy } from './policy-copy.js';
import type { PoolSession } from './pool-session.js';
import { readState } from './read-pool-state.js';
import { type Failure, isRefusal, outOfRangeCode, toReplicaFailure } from './replica-failure.js';
import { Schedule } from './schedule.js';
import type { StatusKeeper } from './status.js';
import { SyncedState } from './synced-state.js';

interface SyncListener {
  /** A complete state was read, from this time on: decisions now use `copy`. */
  swapped(copy: PolicyCopy, readAt: Instant): void;
  /** Changes of a kind were applied. */
  changed(kind: PoolKind, items: readonly PoolItem[]): void;
  /** A message arrived on an accepted stream: the service has the history of the copy, with all changes so far. */
  heard(kind: PoolKind): void;
  failed(failure: Failure): void;
}

/** The dependencies of a sync. */
export interface SyncSettings {
  readonly session: PoolSession;
  readonly fidelity: Fidelity;
  /** True if bindings of several users may share a name. */
  readonly sharesNames: boolean;
  readonly origin: string | undefined;
  readonly listener: SyncListener;
  /** Gets each message, and what the service has confirmed or contradicted. */
  readonly status: StatusKeeper;
  /** The source of randomness that spreads the reads of many replicas. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Reads the complete state, follows the changes, and reads again when required, until the signal aborts. */
export async function sync(settings: SyncSettings, signal: AbortSignal): Promise<void> {
  await new Sync(settings, signal).run();
}

class Sync {
  readonly #settings: SyncSettings;
  readonly #signal: AbortSignal;
  readonly #schedule: Schedule;
  readonly #followers = new Map<PoolKind, Follower>();
  /** Running followers, including replaced ones that have not stopped yet. */
  readonly #running = new Set<Follower>();
  readonly #heartbeat: Heartbeat;
  #state: SyncedState | undefined;
  /** Aborts the wait for the next read, so that the schedule is checked again. */
  #wait: ChildController | undefined;
  /** True while the service refuses reads: messages on the streams then confirm nothing. */
  #isRefused = false;
  /** The number of full reads in a row because the changes of one kind, `#stuck`, could not be followed for long. */
  #again = 0;
  #stuck: PoolKind | undefined;

  constructor(settings: SyncSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
    this.#schedule = new Schedule(settings.random ?? Math.random);
    this.#heartbeat = new Heartbeat(
      () => settings.status.look(),
      () => this.#suspended(),
    );
  }

  async run(): Promise<void> {
    try {
      while (!this.#signal.aborted) {
        if (this.#schedule.waitMs > 0) {
          using wait = scopedController(this.#signal);
          this.#wait = wait;
          await sleep(this.#schedule.waitMs, { signal: wait.signal });
          if (wait.signal.aborted) continue;
        }
        await this.#read();
      }
    } finally {
      this.#heartbeat.stop();
      this.#endFollowers();
      await Promise.all([...this.#running].map(({ done }) => done));
    }
  }

  async #read(): Promise<void> {
    const { session, fidelity, sharesNames, listener, status } = this.#settings;
    const state = new SyncedState(fidelity, sharesNames);
    this.#schedule.began();
    for (const follower of this.#followers.values()) follower.readBegins();
    try {
      await readState(session, state, this.#signal, () => status.message());
    } catch (error) {
      if (this.#signal.aborted) return;
      const failure = this.#toFailure(error);
      this.#schedule.failed(this.#allAccepted());
      this.#isRefused ||= isRefusal(failure);
      return this.#failed(failure);
    }
    this.#schedule.done();
    this.#isRefused = false;
    this.#state = state;
    const started = poolKinds.filter((kind) => this.#followers.get(kind)?.goOn(state) !== true);
    for (const kind of started) status.replaced(kind, state.readAt);
    listener.swapped(state.copy, state.readAt);
    for (const kind of started) {
      this.#followers.get(kind)?.end();
      const follower = new Follower({ kind, state }, session, this.#followerListener, this.#signal);
      this.#followers.set(kind, follower);
      this.#running.add(follower);
      void follower.done.then(() => this.#running.delete(follower));
    }
    if (started.length === 0) this.#onAccepted();
  }

  readonly #followerListener: FollowerListener = {
    hearing: () => this.#heartbeat.check(),
    accepted: (kind) => {
      if (this.#state?.connection !== this.#settings.session.connection) this.#onBreak();
      if (kind === this.#stuck) {
        this.#stuck = undefined;
        this.#settings.status.rereading(false);
      }
      this.#onAccepted();
    },
    heard: (kind) => {
      const { listener, status } = this.#settings;
      status.message();
      if (!this.#isRefused && this.#schedule.confirmed) status.shown(kind);
      listener.heard(kind);
    },
    changed: (kind, items) => this.#settings.listener.changed(kind, items),
    broke: () => {
      this.#onBreak();
      // These streams may come from a service that is being replaced but still sends empty messages.
      for (const other of this.#followers.values()) if (other.accepted) other.restart();
    },
    failed: (failure) => this.#failed(failure),
    lost: (loss) => this.#onLost(loss),
    toFailure: (error) => this.#toFailure(error),
  };

  #onBreak(): void {
    this.#schedule.broke();
    this.#wait?.abort();
  }

  #onAccepted(): void {
    if (!this.#allAccepted()) return;
    this.#schedule.accepted();
    this.#wait?.abort();
  }

  #onLost({ kind, failure, refutes, followed }: Loss): void {
    const { listener, session, status } = this.#settings;
    listener.failed(failure);
    this.#again = followed ? 1 : this.#again + 1;
    this.#stuck = kind;
    status.rereading(this.#again > 1);
    this.#schedule.lost(this.#again);
    if (refutes) {
      status.refuted();
      // The other streams follow a history that differs from the new copy's.
      this.#endFollowers();
    } else if (!followed && failure.grpcCode === outOfRangeCode && this.#state?.connection === session.connection) {
      // The state was read over the same connection, so it is confirmed; only its changes are no longer available.
      status.shown(kind, this.#state?.readAt);
    }
    this.#wait?.abort();
  }

  /** Handles a suspension of this process: the streams must confirm the copy anew. */
  #suspended(): void {
    this.#onBreak();
    for (const follower of this.#followers.values()) follower.restart();
  }

  #failed(failure: Failure): void {
    this.#settings.listener.failed(failure);
    if (isRefusal(failure)) this.#settings.status.refuted();
  }

  #allAccepted(): boolean {
    return poolKinds.every((kind) => this.#followers.get(kind)?.accepted);
  }

  #endFollowers(): void {
    for (const follower of this.#followers.values()) follower.end();
    this.#followers.clear();
  }

  #toFailure(error: unknown): Failure {
    return toReplicaFailure(error, this.#settings.origin);
  }
}
