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

/** Hears what becomes of the copy. */
interface SyncListener {
  /** A whole state was read: from now on decisions are made from `copy`. */
  swapped(copy: PolicyCopy): void;
  /** Changes of a kind were taken in. */
  changed(kind: PoolKind, items: readonly PoolItem[]): void;
  /** The service has said something, which need not be evidence. */
  message(): void;
  /** The service has shown that it has, or had at that moment, what the copy holds of a kind. */
  shown(kind: PoolKind, at?: Instant): void;
  /** The copy holds of a kind what was read since this moment; nothing that came over a stream since then. */
  replaced(kind: PoolKind, at: Instant): void;
  /** The service has shown that the copy is not its state, or refuses to show anything. */
  refuted(): void;
  failed(failure: Failure): void;
  /** True while the changes cannot be followed, so that everything is read again at growing intervals. */
  rereading(on: boolean): void;
  /** Called every few seconds. */
  beat(): void;
}

/** The parts that a sync works with. */
export interface SyncSettings {
  readonly session: PoolSession;
  readonly fidelity: Fidelity;
  /** True if bindings of several users may go by one name. */
  readonly sharesNames: boolean;
  readonly origin: string | undefined;
  readonly listener: SyncListener;
  /** Spreads the reads of many replicas. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Reads everything, follows the changes, and reads everything again when it has to, until the signal aborts. */
export async function sync(settings: SyncSettings, signal: AbortSignal): Promise<void> {
  await new Sync(settings, signal).run();
}

class Sync {
  readonly #settings: SyncSettings;
  readonly #signal: AbortSignal;
  readonly #schedule: Schedule;
  readonly #followers = new Map<PoolKind, Follower>();
  /** Those of which something runs, although they may have been replaced. */
  readonly #running = new Set<Follower>();
  readonly #heartbeat: Heartbeat;
  #held: Held | undefined;
  /** Ends the wait for the next read, to look at the schedule again. */
  #wait: ChildController | undefined;
  /** True while reading is refused: messages of the streams are not evidence then. */
  #isRefused = false;
  /** How often everything was read and then a kind could not be followed for long, and which kind. */
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
      // They may come from the service that is being replaced, which goes on to say that nothing changes.
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
      // The other streams show a history that is not the copy's.
      this.#endFollowers();
    } else if (!followed && failure.grpcCode === outOfRangeCode && this.#held?.connection === session.connection) {
      // The state was read over this very connection; only its changes are out of reach.
      listener.shown(kind, this.#held?.readAt);
    }
    this.#wait?.abort();
  }

  /** This process stood still: the streams have to show anew what the service has. */
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
