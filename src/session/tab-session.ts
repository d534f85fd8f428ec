import type { Connection } from '../connection/connection.js';
import type { Clock } from '../connection/credentials-contract.js';
import { quietly } from '../lib/quietly.js';
import { race, sleep } from '../lib/wait.js';
import { Entry } from './entry.js';
import type { EndReason } from './events.js';
import type { LiveSession } from './live-session.js';
import { parseRecord, renewedVersion } from './record.js';
import { logOut } from './service.js';
import type { Shelf } from './shelf.js';
import { Standing } from './standing.js';
import { type News, openTabs, type Tabs } from './tabs.js';

/** A tab that does not find the announced session in this time is signed out. */
const patienceMs = 2_000;
const firstPauseMs = 5;
/** Versions of the same moment are counted up, a little beyond the clock. */
const clockToleranceMs = 1_000;

/**
 * The session of this tab, in sync with its store and with the other tabs. Versions decide what is newer, because news,
 * the entry of the store and its mark reach a tab in any order.
 */
export class TabSession extends Standing {
  readonly connection: Connection;
  readonly #entry: Entry;
  readonly #tabs: Tabs | undefined;
  readonly #closing = new AbortController();
  /** The version that this tab has written last. */
  #wrote = 0;
  /** True if the store holds this session. */
  #isKept = false;
  /** Counts how often the browser stopped the page. */
  stops = 0;
  /** The stops after which the store was read. */
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

  /** Adopts the session of a sign-in, and writes it to the store. */
  async keep(live: LiveSession): Promise<void> {
    this.pending = live;
    this.become(live);
    await this.#alone(async () => {
      const stored = parseRecord(await this.#read());
      // This tab signed out, or in again.
      if (this.current !== live) return;
      live.version = Math.max(live.version, this.next(stored?.version));
      await this.#write(live);
    });
  }

  /** Replaces a session by its renewed one, unless another took its place in this tab or in the store. */
  async replace(live: LiveSession, next: LiveSession): Promise<void> {
    await this.#alone(async () => {
      await this.#mend('lost');
      if (!this.#isStill(live)) return;
      next.version = renewedVersion(live.version);
      this.become(next);
      await this.#write(next);
    });
  }

  /** Adopts the state of the store: another session, or the end of this one. A failing store changes nothing. */
  async reread(reason: EndReason = 'lost'): Promise<void> {
    if (await this.#take(reason)) await this.#alone(() => this.#mend(reason));
  }

  /** True if the store has to be read before the next call, because the browser stopped the page. */
  get isStale(): boolean {
    return this.#caughtUp < this.stops;
  }

  /** Waits for a session that another tab announced, or for what a stopped page missed. Ends an expired session. */
  async settle(): Promise<void> {
    while (this.#following) await this.#following;
    do {
      const { stops } = this;
      if (this.isStale || this.isBehind) await this.reread();
      this.#caughtUp = stops;
      // A page that is stopped while it reads has read the state of before.
    } while (this.isStale);
    if (this.isOver) await this.giveUp('expired');
  }

  /** True if this session is still in use. Rereads the store first if other tabs may have written to it. */
  async isStill(live: LiveSession): Promise<boolean> {
    if (this.#entry.isShared) await this.reread();
    return this.#isStill(live);
  }

  /** Runs a renewal in one tab at a time of those that share the store, until the session ends. */
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

  /** Ends the session everywhere; false if the logout at the service failed. */
  async signOut(): Promise<boolean> {
    const reading = this.#entry.read();
    const left = this.#leave(reading);
    // Before the lock is free, because the page may go elsewhere at once.
    const marked = this.#announceEnd();
    await this.#alone(async () => {
      await marked;
      const { version = 0 } = parseRecord(await reading) ?? {};
      // The user has signed in again.
      if (this.current) return;
      // The clock was set back since that sign-in.
      if (version >= this.ended) await this.#announceEnd(version);
      const stored = parseRecord(await this.#read());
      // One of a later sign-in in another tab remains.
      if (stored && stored.version < this.ended) await this.#entry.remove();
    });
    return left;
  }

  /** Stops the exchange with other tabs and with the service. */
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
    // The clock was set back since this sign-in, which another tab could not know of.
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

  /** Ends the session in this tab, in the store, and at the service; false if that fails. */
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

  /** Ends all sessions so far, for all tabs. */
  async #announceEnd(stored?: number): Promise<void> {
    this.noteEnd(await this.#entry.readMark());
    // One more, so that an unseen sign-in of this millisecond ends as well.
    this.ended = this.next(stored) + 1;
    this.#tell('end', this.ended);
    await this.#entry.writeMark(this.ended);
  }

  async #read(): Promise<string | null | undefined> {
    const text = await this.#entry.read();
    this.noteEnd(await this.#entry.readMark());
    return text;
  }

  /** Adopts the state of the store. Returns the change that the store needs, if any. */
  async #take(reason: EndReason): Promise<'remove' | 'write' | undefined> {
    const text = await this.#read();
    // A sign-in that waits for the lock is later than what was read.
    if (this.pending) return;
    this.#obeyEnd();
    if (text === undefined) return;
    const { current: live } = this;
    const isOwn = live !== undefined && live.version === this.#wrote;
    const read = text === null ? undefined : parseRecord(text);
    // A late write of another tab.
    if (isOwn && read && read.version < live.version) return 'write';
    if (read && read.version < this.ended) return 'remove';
    // Not the announced one yet, or a late write of this tab.
    if (read && read.version < Math.floor(this.announced)) {
      return !this.#following && read.version === this.#wrote ? 'remove' : undefined;
    }
    if (read && live && read.version < live.version) return;
    // The session in use has its times on a better clock.
    if (read && read.version === live?.version && read.token === live.token) return;
    // The system clock may have been set back since.
    const next = read && this.hold(read, this.clock.now() - Math.max(0, Date.now() - read.askedAt));
    if (next) this.become(next);
    else if (text === null && this.isBehind) return;
    // The removal of an earlier end was late.
    else if (text === null && isOwn && this.ended > 0 && Date.now() < live.version + patienceMs) return 'write';
    else if (this.#isKept) this.end(reason);
    this.#isKept = next !== undefined;
    return next || text === null ? undefined : 'remove';
  }

  /** Adopts the state of the store, and changes the store if it needs to; under the lock. */
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

  /** Ends a session that was signed out in another tab. */
  #obeyEnd(): void {
    if (!this.isEnded) return;
    if (this.#entry.isShared) this.end('signed-out');
    // Nothing but this tab can end it in its store and at the service.
    else void this.#leave();
  }

  #tell(kind: News['kind'], version: number): void {
    quietly(() => this.#tabs?.tell({ kind, version }));
  }

  #hear({ kind, version }: News): void {
    const { isShared } = this.#entry;
    // Only the end concerns a tab with a session of its own.
    if (kind !== 'end' && !isShared) return;
    // The store has failed before: a session that it does not hold remains.
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
    // A late write may have landed: one of this tab after an end, or one over this tab's session.
    if (isShared && this.#wrote > 0 && version !== this.#wrote) void this.reread();
  }

  /** Reads until the announced session is there. After some time without it, this tab is signed out. */
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
