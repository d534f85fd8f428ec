import type { Clock } from '../connection/credentials-contract.js';
import { type EndReason, Listeners } from './events.js';
import { type LiveSession, toLiveSession } from './live-session.js';
import { nextVersion, type ReadSession, readSession } from './record.js';

/** The session of a tab, and the versions that this tab knows. */
export class Standing {
  readonly clock: Clock;
  readonly listeners = new Listeners();
  /** The last session that was signed in, restored or renewed. It may have expired or been replaced. */
  current: LiveSession | undefined;
  /** The session of a sign-in that waits for the lock. It is newer than anything that arrives meanwhile. */
  pending: LiveSession | undefined;
  /** All sessions with a lower version have ended. */
  ended = 0;
  /** The version of the newest session that another tab announced. */
  announced = 0;
  /** Aborts when the current session ends. */
  life = new AbortController();
  readonly #maxAgeMs: number;

  constructor(clock: Clock, maxAgeMs: number) {
    this.clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The current session, unless it has expired or another tab announced a newer one. */
  get valid(): LiveSession | undefined {
    return this.isOver || this.isOutdated ? undefined : this.current;
  }

  /** True if the session has expired. */
  get isOver(): boolean {
    const { current: live } = this;
    // The age is measured on the system clock, because the connection's clock may stop while the machine sleeps.
    return live !== undefined && (this.clock.now() >= live.endsAt || Date.now() >= live.mustEndAt);
  }

  /** True if another tab has ended the session or replaced it by another sign-in. */
  get isOutdated(): boolean {
    return this.#isBelow(Math.max(this.ended, Math.floor(this.announced)));
  }

  /** True if another tab has ended the session. */
  get isEnded(): boolean {
    return this.#isBelow(this.ended);
  }

  /** True if another tab announced a session that this tab has not read yet. */
  get isBehind(): boolean {
    return this.announced >= this.ended && this.announced > (this.current?.version ?? 0);
  }

  /** Returns a version for a sign-in or an end that is higher than all known ones. */
  next(stored = 0): number {
    return nextVersion(this.ended - 1, this.announced, stored);
  }

  /** Records the version of an end. */
  noteEnd(version: number): void {
    this.ended = Math.max(this.ended, version);
  }

  /**
   * Records the time at which a token is requested. Returns a function that reads the received token; it returns
   * undefined if the token names no user or has expired. `signedInAt` defaults to now.
   */
  startAsking(signedInAt?: number): (token: string) => LiveSession | undefined {
    const [askedAt, startedAt] = [Date.now(), this.clock.now()];
    return (token) => {
      const version = this.next(this.current?.version);
      return this.hold(readSession({ token, askedAt, signedInAt: signedInAt ?? askedAt, version }), startedAt);
    };
  }

  /** Adds the times of renewal and expiry to a session; undefined if it has expired. */
  hold(read: ReadSession | undefined, startedAt: number): LiveSession | undefined {
    return toLiveSession(read, startedAt, this.clock.now(), this.#maxAgeMs);
  }

  become(live: LiveSession | undefined): void {
    this.current = live;
    this.listeners.emit('change', undefined);
  }

  end(reason: EndReason): void {
    const { current: live } = this;
    this.pending = undefined;
    if (!live) return;
    // A slow read must not restore an ended session. A lost one may reappear in the store, so it is not marked as
    // ended.
    if (reason !== 'lost') this.noteEnd(Math.floor(live.version) + 1);
    this.life.abort();
    this.life = new AbortController();
    this.become(undefined);
    this.listeners.emit('end', { reason });
  }

  #isBelow(version: number): boolean {
    const { current: live } = this;
    return live !== undefined && live !== this.pending && live.version < version;
  }
}
