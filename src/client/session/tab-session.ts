import { quietly } from '../../base/lib/quietly.js';
import { race, sleep } from '../../base/lib/wait.js';
import type { Connection } from '../connection/connection.js';
import type { Clock } from '../connection/credentials-contract.js';
import { Entry } from './entry.js';
import type { EndReason } from './events.js';
import type { LiveSession } from './live-session.js';
import { parseRecord, renewedVersion } from './record.js';
import { logOut } from './service.js';
import type { Shelf } from './shelf.js';
import { Standing } from './standing.js';
import { type News, openTabs, type Tabs } from './tabs.js';

/** If an announced session does not appear in the store within this time, the tab is signed out. */
const patienceMs = 2_000;
const firstPauseMs = 5;
/** Versions of the same millisecond are counted up, so they may be slightly ahead of the clock. */
const clockToleranceMs = 1_000;

/**
 * The session of this tab, synchronized with its store and the other tabs. Versions decide which state is newer,
 * because messages, the store and the mark may be seen in any order.
 */
export class TabSession extends Standing {
  readonly connection: Connection;
  readonly #entry: Entry;
  readonly #tabs: Tabs | undefined;
  readonly #closing = new AbortController();
  /** The version that this tab wrote last. */
  #wrote = 0;
  /** True if the store contains this session. */
  #isKept = false;
  /** The number of times that the browser has suspended the page. */
  stops = 0;
  /** The value of `stops` when the store was last read. */
  #caughtUp = 0;
  #following: Promise<void> | undefined;
  #arrival = new AbortController();

  constructor(connection: Connection, clock: Clock, shelf: Shelf, name: string, maxAgeMs: number) {
    super(clock, maxAgeMs);
    this.connection = connection;
    const { origin, path } = connection.nameOf({ method: 'GET', path: '' });
    // Only pages have a location.
    const { location } = globalThis as { location?: { origin: string } };
    const key = `arango-services ${location?.origin ?? ''} ${origin}${path} ${name}`;
    this.#entry = new Entry(shelf, key);
    // Without a page there are no tabs, and sessions of other users may live in the same process.
    const hasTabs = shelf.isShared || 'document' in globalThis;
    const hear = (news: News) => this.#hear(news);
    const look = () => void this.reread();
    this.#tabs = hasTabs ? openTabs(key, [key, this.#entry.markKey], { hear, look }) : undefined;
  }

  /** Adopts the session of a new sign-in, and writes it to the store. */
  async keep(live: LiveSession): Promise<void> {
    this.pending = live;
    this.become(live);
    await this.#alone(async () => {
      const stored = parseRecord(await this.#read());
      // Meanwhile this tab signed out, or in again.
      if (this.current !== live) return;
      live.version = Math.max(live.version, this.next(stored?.version));
      await this.#write(live);
    });
  }

  /** Replaces a session by its renewal, unless the session was replaced otherwise, in this tab or in the store. */
  async replace(live: LiveSession, next: LiveSession): Promise<void> {
    await this.#alone(async () => {
      await this.#mend('lost');
      if (!this.#isStill(live)) return;
      next.version = renewedVersion(live.version);
      this.become(next);
      await this.#write(next);
    });
  }

  /**
   * Adopts the state of the store: another session, or the end of the current one. If the store fails, nothing changes.
   */
  async reread(reason: EndReason = 'lost'): Promise<void> {
    if (await this.#take(reason)) await this.#alone(() => this.#mend(reason));
  }

  /** True if the store has to be read before the next call, because the browser had suspended the page. */
  get isStale(): boolean {
    return this.#caughtUp < this.stops;
  }

  /**
   * Waits for a session that another tab announced, or for a read of the store after a suspension. Ends an expired
   * session.
   */
  async settle(): Promise<void> {
    while (this.#following) await this.#following;
    do {
      const { stops } = this;
      if (this.isStale || this.isBehind) await this.reread();
      this.#caughtUp = stops;
      // A suspension during the read makes its result outdated.
    } while (this.isStale);
    if (this.isOver) await this.giveUp('expired');
  }

  /** True if this session is still in use. Rereads the store first if other tabs may have written to it. */
  async isStill(live: LiveSession): Promise<boolean> {
    if (this.#entry.isShared) await this.reread();
    return this.#isStill(live);
  }

  /** Runs a renewal under a lock that all tabs with this store share; aborted when the session ends. */
  renewAlone(renewal: () => Promise<void>, ms: number): Promise<void> {
    const limits = { signal: this.life.signal, ms };
    return this.#entry.renewAlone(() => race(renewal(), limits), limits);
  }

  /** Ends the session, unless the store holds a newer one. */
  async giveUp(reason: EndReason): Promise<void> {
    const { current: live } = this;
    if (!live) return;
    await this.#alone(async () => {
      await this.#mend(reason);
      if (this.current !== live) return;
      this.end(reason);
      await this.#entry.remove();
      if (this.#entry.isShared) this.#tell('loss', this.ended);
    });
  }

  /** Ends the session everywhere. Returns false if the logout at the service failed. */
  async signOut(): Promise<boolean> {
    const reading = this.#entry.read();
    const left = this.#leave(reading);
    // Done before the lock is free, because the page may navigate away at once.
    const marked = this.#announceEnd();
    await this.#alone(async () => {
      await marked;
      const { version = 0 } = parseRecord(await reading) ?? {};
      // The user has signed in again meanwhile.
      if (this.current) return;
      // The stored sign-in has a later time because the clock was set back since.
      if (version >= this.ended) await this.#announceEnd(version);
      const stored = parseRecord(await this.#read());
      // A later sign-in of another tab stays in the store.
      if (stored && stored.version < this.ended) await this.#entry.remove();
    });
    return left;
  }

  /** Stops the communication with other tabs and the service. */
  close(): Promise<void> {
    this.#tabs?.close();
    for (const controller of [this.#closing, this.life, this.#arrival]) controller.abort();
    return this.connection.close();
  }

  override become(live: LiveSession | undefined): void {
    super.become(live);
    if (!this.isBehind) this.#arrival.abort();
  }

  override noteEnd(version: number): void {
    const { current: live } = this;
    // The clock was set back after this sign-in, which another tab could not know.
    const isAhead = live && !this.#entry.isShared && live.version > Date.now() + clockToleranceMs;
    if (isAhead && version > this.ended) live.version = version - 1;
    super.noteEnd(version);
  }

  #isStill(live: LiveSession): boolean {
    return this.current === live && !this.pending && !this.isOutdated;
  }

  #alone(act: () => Promise<void>): Promise<void> {
    return this.#entry.alone(act, this.#closing.signal);
  }

  /**
   * Ends the session in this tab, in the store, and at the service. Returns false if the logout at the service failed.
   */
  async #leave(reading = this.#entry.read()): Promise<boolean> {
    const tokenHere = this.current?.token;
    this.end('signed-out');
    const leave = async (token: string | undefined) => !token || logOut(this.connection, `Bearer ${token}`);
    const left = leave(tokenHere);
    const removed = this.#entry.remove();
    const stored = parseRecord(await reading)?.token;
    const isLeft = await leave(stored === tokenHere ? undefined : stored);
    await removed;
    return (await left) && isLeft;
  }

  /** Ends all sessions up to now, in all tabs. */
  async #announceEnd(stored?: number): Promise<void> {
    this.noteEnd(await this.#entry.readMark());
    // Plus one, so that an unseen sign-in of the same millisecond ends as well.
    this.ended = this.next(stored) + 1;
    this.#tell('end', this.ended);
    await this.#entry.writeMark(this.ended);
  }

  async #read(): Promise<string | null | undefined> {
    const text = await this.#entry.read();
    this.noteEnd(await this.#entry.readMark());
    return text;
  }

  /** Adopts the state of the store. Returns how the store has to be changed, if at all. */
  async #take(reason: EndReason): Promise<'remove' | 'write' | undefined> {
    const text = await this.#read();
    // A pending sign-in is later than anything in the store.
    if (this.pending) return;
    this.#obeyEnd();
    if (text === undefined) return;
    const { current: live } = this;
    const isOwn = live !== undefined && live.version === this.#wrote;
    const read = text === null ? undefined : parseRecord(text);
    // Another tab's late write of an older session.
    if (isOwn && read && read.version < live.version) return 'write';
    if (read && read.version < this.ended) return 'remove';
    // The announced session has not arrived yet, or a late write of this tab replaced it.
    if (read && read.version < Math.floor(this.announced)) {
      return !this.#following && read.version === this.#wrote ? 'remove' : undefined;
    }
    if (read && live && read.version < live.version) return;
    // The current session is the same, but its times are on a better clock.
    if (read && read.version === live?.version && read.token === live.token) return;
    // The system clock may have been set back since the sign-in.
    const next = read && this.hold(read, this.clock.now() - Math.max(0, Date.now() - read.askedAt));
    if (next) this.become(next);
    else if (text === null && this.isBehind) return;
    // The removal for an earlier end came late and removed this session.
    else if (text === null && isOwn && this.ended > 0 && Date.now() < live.version + patienceMs) return 'write';
    else if (this.#isKept) this.end(reason);
    this.#isKept = next !== undefined;
    return next || text === null ? undefined : 'remove';
  }

  /** Adopts the state of the store under the lock, and repairs the store if needed. */
  async #mend(reason: EndReason): Promise<void> {
    const mending = await this.#take(reason);
    if (mending === 'remove') await this.#entry.remove();
    else if (mending && this.current) await this.#write(this.current);
  }

  /** Writes a session under the lock, and announces it. */
  async #write(live: LiveSession): Promise<void> {
    this.#wrote = live.version;
    this.#isKept = await this.#entry.write(live);
    if (this.pending === live) this.pending = undefined;
    this.#obeyEnd();
    if (!this.current) await this.#entry.remove();
    else if (this.#entry.isShared) this.#tell('change', live.version);
    if (this.isBehind) this.#follow();
  }

  /** Ends a session that another tab has signed out. */
  #obeyEnd(): void {
    if (!this.isEnded) return;
    if (this.#entry.isShared) this.end('signed-out');
    // Tabs do not share this session, so this tab must clear its store and log out itself.
    else void this.#leave();
  }

  #tell(kind: News['kind'], version: number): void {
    quietly(() => this.#tabs?.tell({ kind, version }));
  }

  #hear({ kind, version }: News): void {
    const { isShared } = this.#entry;
    // If tabs do not share the session, only its end concerns this tab.
    if (kind !== 'end' && !isShared) return;
    // The store failed before, so it does not contain this tab's session, which stays.
    if (kind !== 'end' && this.current && !this.pending && !this.#isKept) return void this.reread();
    const before = this.valid;
    if (kind === 'change') this.announced = Math.max(this.announced, version);
    else this.noteEnd(version);
    if (kind === 'loss' && this.isOutdated) this.end('lost');
    this.#obeyEnd();
    if (before && this.current && !this.valid) this.listeners.emit('change', undefined);
    if (this.isBehind) {
      if (!this.pending) this.#follow();
      return;
    }
    this.#arrival.abort();
    // A late write of this tab, or of another one over this tab's session, may just have arrived.
    if (isShared && this.#wrote > 0 && version !== this.#wrote) void this.reread();
  }

  /** Reads the store until the announced session appears. After a time limit, this tab is signed out. */
  #follow(): void {
    this.#arrival.abort();
    const arrival = new AbortController();
    this.#arrival = arrival;
    const { signal } = arrival;
    const read = async () => {
      for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs *= 2) {
        await this.reread();
        await sleep(pauseMs, { signal });
      }
    };
    const following = Promise.race([read(), sleep(patienceMs, { signal })]).then(() => {
      if (this.#following === following) this.#following = undefined;
      if (signal.aborted) return;
      arrival.abort();
      if (this.isOutdated) this.end('lost');
      void this.reread();
    });
    this.#following = following;
  }
}
