import type { Clock } from '../connection/credentials-contract.js';
import { type EndReason, Listeners } from './events.js';
import { type LiveSession, toLiveSession } from './live-session.js';
import { nextVersion, type ReadSession, readSession } from './record.js';

/** The session of a tab, and the versions that the tab knows of. */
export class Standing {
  readonly clock: Clock;
  readonly listeners = new Listeners();
  /** The session that was last signed in, restored or renewed; it may have expired, or be that of a former user. */
  current: LiveSession | undefined;
  /** The session of a sign-in that waits for the lock: it is newer than all that arrives meanwhile. */
  pending: LiveSession | undefined;
  /** Sessions below this version have ended. */
  ended = 0;
  /** The version that another tab announced. */
  announced = 0;
  /** Aborts with the end of the session in use. */
  life = new AbortController();
  readonly #maxAgeMs: number;

  constructor(clock: Clock, maxAgeMs: number) {
    this.clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The session, unless it has expired or another tab announced a newer one. */
  get valid(): LiveSession | undefined {
    return this.isOver || this.isOutdated ? undefined : this.current;
  }

  /** True if the session has expired. */
  get isOver(): boolean {
    const { current: live } = this;
    // The age is measured by the system clock, because the connection's may stop while the machine sleeps.
    return live !== undefined && (this.clock.now() >= live.endsAt || Date.now() >= live.mustEndAt);
  }

  /** True if the session has ended in another tab, or made way for another sign-in there. */
  get isOutdated(): boolean {
    return this.#isBelow(Math.max(this.ended, Math.floor(this.announced)));
  }

  /** True if the session has ended in another tab. */
  get isEnded(): boolean {
    return this.#isBelow(this.ended);
  }

  /** True if the session that another tab announced is not here yet. */
  get isBehind(): boolean {
    return this.announced >= this.ended && this.announced > (this.current?.version ?? 0);
  }

  /** The version of a sign-in or an end that is later than all known ones. */
  next(stored = 0): number {
    return nextVersion(this.ended - 1, this.announced, stored);
  }

  /** Notes the version of an end. */
  noteEnd(version: number): void {
    this.ended = Math.max(this.ended, version);
  }

  /**
   * Records when a token is requested. Returns a function that reads the token and returns undefined if it names no
   * user or has expired. Without `signedInAt`, the user signs in now.
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
    // A slow read must not bring it back; a lost one may be in the store again.
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
