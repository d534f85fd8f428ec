/// <reference lib="esnext.disposable" preserve="true" />
import { type ChildController, childController, sleep } from '../lib/wait.js';
import type { Fidelity } from '../policy/index.js';
import { type PoolItem, type PoolKind, poolKinds } from '../pool/items.js';
import { Follower, type FollowerListener, type Loss } from './follower.js';
import { Heartbeat } from './heartbeat.js';
import { Held } from './held.js';
import type { Instant } from './liveness.js';
import type { PolicyCopy } from './policy-copy.js';
import { readState } from './read-state.js';
import { type Failure, isRefusal, outOfRangeCode, toReplicaFailure } from './replica-failure.js';
import { Schedule } from './schedule.js';
import type { PoolSession } from './session.js';

/** The events of a sync. */
interface SyncListener {
  /** A complete state was read: decisions now use `copy`. */
  swapped(copy: PolicyCopy): void;
  /** Changes of a kind were applied. */
  changed(kind: PoolKind, items: readonly PoolItem[]): void;
  /** A message arrived, which need not be evidence. */
  message(): void;
  /** The service has, or had at that moment, the copy's state of a kind. */
  shown(kind: PoolKind, at?: Instant): void;
  /** The copy of a kind is a state whose read began at this moment, without later stream messages. */
  replaced(kind: PoolKind, at: Instant): void;
  /** The service has shown another state than the copy, or refuses to show any. */
  refuted(): void;
  failed(failure: Failure): void;
  /** True while the changes cannot be followed, so that everything is read again with backoff. */
  rereading(on: boolean): void;
  /** Called every few seconds. */
  beat(): void;
}

/** The dependencies of a sync. */
export interface SyncSettings {
  readonly session: PoolSession;
  readonly fidelity: Fidelity;
  /** True if bindings of several users may share a name. */
  readonly sharesNames: boolean;
  readonly origin: string | undefined;
  readonly listener: SyncListener;
  /** Jitter for the reads of many replicas. Default `Math.random`. */
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
  /** Running followers, including replaced ones. */
  readonly #running = new Set<Follower>();
  readonly #heartbeat: Heartbeat;
  #held: Held | undefined;
  /** Ends the wait for the next read, to check the schedule again. */
  #wait: ChildController | undefined;
  /** True while reads are refused: stream messages are not evidence then. */
  #isRefused = false;
  /** The number of full reads in a row after which a kind could not be followed for long, and that kind. */
  #again = 0;
  #stuck: PoolKind | undefined;

  constructor(settings: SyncSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
    this.#schedule = new Schedule(settings.random ?? Math.random);
    this.#heartbeat = new Heartbeat(
      () => settings.listener.beat(),
      () => this.#suspended(),
    );
  }

  async run(): Promise<void> {
    try {
      while (!this.#signal.aborted) {
        if (this.#schedule.waitMs > 0) {
          using wait = childController(this.#signal);
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
    const { session, fidelity, sharesNames, listener } = this.#settings;
    const held = new Held(fidelity, sharesNames);
    this.#schedule.began();
    for (const follower of this.#followers.values()) follower.readBegins();
    try {
      await readState(session, held, this.#signal, () => listener.message());
    } catch (error) {
      if (this.#signal.aborted) return;
      const failure = this.#toFailure(error);
      this.#schedule.failed(this.#allAccepted());
      this.#isRefused ||= isRefusal(failure);
      return this.#failed(failure);
    }
    this.#schedule.done();
    this.#isRefused = false;
    this.#held = held;
    const started = poolKinds.filter((kind) => this.#followers.get(kind)?.goOn(held) !== true);
    for (const kind of started) listener.replaced(kind, held.readAt);
    listener.swapped(held.copy);
    for (const kind of started) {
      this.#followers.get(kind)?.end();
      const follower = new Follower(kind, held, session, this.#followerListener, this.#signal);
      this.#followers.set(kind, follower);
      this.#running.add(follower);
      void follower.done.then(() => this.#running.delete(follower));
    }
    if (started.length === 0) this.#onAccepted();
  }

  readonly #followerListener: FollowerListener = {
    hearing: () => this.#heartbeat.check(),
    accepted: (kind) => {
      if (this.#held?.connection !== this.#settings.session.connection) this.#onBreak();
      if (kind === this.#stuck) {
        this.#stuck = undefined;
        this.#settings.listener.rereading(false);
      }
      this.#onAccepted();
    },
    heard: (kind) => {
      const { listener } = this.#settings;
      listener.message();
      if (!this.#isRefused && this.#schedule.confirmed) listener.shown(kind);
    },
    changed: (kind, items) => this.#settings.listener.changed(kind, items),
    broke: () => {
      this.#onBreak();
      // They may come from a service that is being replaced, which keeps sending empty messages.
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
    const { listener, session } = this.#settings;
    listener.failed(failure);
    this.#again = followed ? 1 : this.#again + 1;
    this.#stuck = kind;
    listener.rereading(this.#again > 1);
    this.#schedule.lost(this.#again);
    if (refutes) {
      listener.refuted();
      // The other streams follow another history than the copy's.
      this.#endFollowers();
    } else if (!followed && failure.grpcCode === outOfRangeCode && this.#held?.connection === session.connection) {
      // The state was read over this very connection; only its changes are out of range.
      listener.shown(kind, this.#held?.readAt);
    }
    this.#wait?.abort();
  }

  /** Handles a suspension of this process: the streams must prove the service's state anew. */
  #suspended(): void {
    this.#onBreak();
    for (const follower of this.#followers.values()) follower.restart();
  }

  #failed(failure: Failure): void {
    this.#settings.listener.failed(failure);
    if (isRefusal(failure)) this.#settings.listener.refuted();
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
