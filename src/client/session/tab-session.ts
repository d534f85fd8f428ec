import { quietly } from '../../base/lib/quietly.js';
import { race, sleep } from '../../base/lib/wait.js';
import type { Connection } from '../connection/connection.js';
import type { Clock } from '../connection/credentials-contract.js';
import { Entry } from './entry.js';
import { exclusively } from './lock.js';
import { Listeners } from './session-events.js';
import { type LiveSession, type SessionRecord, toLiveSession } from './session-record.js';
import { endSession } from './session-requests.js';
import type { Shelf } from './shelf.js';
import type { Effects, TabEvent, TabState } from './tab-state.js';
import { initialState, isBehind, isOutdated, isStill, type Plan, patienceMs, type Seen, step } from './tab-state.js';
import { openTabs, type Tabs } from './tabs.js';

const firstPauseMs = 5;
/** After waiting this long for the lock, a change is made without it; versions still keep the order. */
const lockPatienceMs = 5_000;

/** The session of this tab: tells its {@link TabState} what happens, and does what follows from it. */
export class TabSession {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly listeners = new Listeners();
  readonly #maxAgeMs: number;
  readonly #shelf: Shelf;
  readonly #entry: Entry;
  readonly #tabs: Tabs | undefined;
  readonly #closing = new AbortController();
  #state: TabState;
  /** Aborts when the current session ends. */
  #life = new AbortController();
  /** The wait for an announced session. */
  #arrival = { stop: new AbortController(), over: Promise.resolve() };
  /** The last suspension of the page after which the store was not read yet. */
  #suspension: object | undefined;
  /** The number of times that this tab has written or removed the record. */
  #writes = 0;

  constructor(connection: Connection, shelf: Shelf, options: { name: string; maxAgeMs: number }) {
    const { deployment, deploymentId } = connection.parts;
    this.connection = connection;
    this.clock = deployment.context.clock;
    this.#shelf = shelf;
    this.#maxAgeMs = options.maxAgeMs;
    this.#state = initialState(shelf.isShared);
    const { origin, path } = connection.nameOf({ method: 'GET', path: '' });
    // The id is escaped, because a space ends it in the key: the name, which comes last, may hold spaces.
    const id = deploymentId ? `#${deploymentId.replace(/[% ]/g, encodeURIComponent)}` : '';
    // Only pages have a location.
    const { location } = globalThis as { location?: { origin: string } };
    const key = `arango-services ${location?.origin ?? ''} ${origin}${path}${id} ${options.name}`;
    this.#entry = new Entry(shelf, key);
    // Without a page there are no tabs, and sessions of other users may live in the same process.
    const hasTabs = shelf.isShared || 'document' in globalThis;
    this.#tabs = hasTabs
      ? openTabs(key, [key, this.#entry.markKey], {
          hear: (news) => void this.#dispatch({ type: 'heard', news }),
          look: () => void this.reread(),
        })
      : undefined;
  }

  /** The last session, even if it has expired or been replaced. */
  get current(): LiveSession | undefined {
    return this.#state.live;
  }

  /** The current session, unless it has expired or another tab announced a newer one. */
  get valid(): LiveSession | undefined {
    return this.#isOver || isOutdated(this.#state) ? undefined : this.current;
  }

  /** True if the store has to be read before the next call, because the browser had suspended the page. */
  get isStale(): boolean {
    return this.#suspension !== undefined;
  }

  /** The browser suspends or resumes the page. */
  suspend(): void {
    this.#suspension = {};
  }

  /**
   * Returns a function that reads a token requested now; it returns undefined for one without user, or expired.
   * `signedInAt` defaults to now.
   */
  startAsking(signedInAt?: number): (token: string) => LiveSession | undefined {
    const [askedAt, startedAt] = [Date.now(), this.clock.now()];
    return (token) => this.#hold({ token, askedAt, signedInAt: signedInAt ?? askedAt }, startedAt);
  }

  /** Adopts the session of a new sign-in, and writes it to the store. */
  keep(live: LiveSession): Promise<void> {
    void this.#dispatch({ type: 'signed-in', live });
    return this.#alone({ type: 'keep', live });
  }

  /** Replaces a session by its renewal, unless the session was replaced otherwise, in this tab or in the store. */
  replace(live: LiveSession, next: LiveSession): Promise<void> {
    return this.#alone({ type: 'renew', live, next });
  }

  /** Adopts the state of the store: another session, or the end of this one. Keeps the session if the store fails. */
  async reread(): Promise<void> {
    await this.#dispatch({ type: 'looked', seen: await this.#see() });
  }

  /** Waits for a session that another tab announced, or for a read after a suspension. Ends an expired session. */
  async settle(): Promise<void> {
    while (this.#state.awaited > 0) await this.#arrival.over;
    do {
      const suspension = this.#suspension;
      if (suspension || isBehind(this.#state)) await this.reread();
      // A suspension during the read makes its result outdated.
      if (suspension === this.#suspension) this.#suspension = undefined;
    } while (this.#suspension);
    if (this.#isOver) await this.giveUp('expired');
  }

  /** True if this session is still in use. Rereads the store first if other tabs may have written to it. */
  async isStill(live: LiveSession): Promise<boolean> {
    if (this.#state.isShared) await this.reread();
    return isStill(this.#state, live);
  }

  /** Runs a renewal under a lock that all tabs with this store share; aborted when the session ends. */
  async renewAlone(renewal: () => Promise<void>, ms: number): Promise<void> {
    const limits = { signal: this.#life.signal, ms };
    const name = `renewal ${this.#entry.key}`;
    if (!(await exclusively(name, this.#shelf, () => race(renewal(), limits), limits))) throw new Error('no lock');
  }

  /** Ends the session, unless the store holds a newer one. */
  async giveUp(reason: 'expired' | 'refused'): Promise<void> {
    const { current: live } = this;
    if (live) await this.#alone({ type: 'give-up', live, reason });
  }

  /** Ends the session everywhere. Returns false if the logout at the service failed. */
  async signOut(): Promise<boolean> {
    const reading = this.#entry.read();
    const { live, version } = this.#state;
    void this.#dispatch({ type: 'signed-out' });
    const left = this.#leave(live, reading);
    // This does not wait for the lock, because the page may navigate away at once.
    const marked = this.#entry.readMark().then((mark) => this.#dispatch({ type: 'marked', mark }));
    const stored = await reading;
    await marked;
    await this.#alone({
      type: 'empty',
      former: [...(live ? [{ ...live, version }] : []), ...(stored ? [stored] : [])],
    });
    return left;
  }

  /** Stops the communication with other tabs and the service. */
  close(): Promise<void> {
    this.#tabs?.close();
    for (const controller of [this.#closing, this.#life, this.#arrival.stop]) controller.abort();
    return this.connection.close();
  }

  /** True if the session has expired. */
  get #isOver(): boolean {
    const { current: live } = this;
    // The age is measured on the system clock, because the connection's clock may stop while the machine sleeps.
    return live !== undefined && (this.clock.now() >= live.endsAt || Date.now() >= live.mustEndAt);
  }

  /** Adds the times of renewal and expiry to a session; undefined if it has expired. */
  #hold(read: Omit<SessionRecord, 'version'>, startedAt: number): LiveSession | undefined {
    return toLiveSession(read, startedAt, this.clock.now(), this.#maxAgeMs);
  }

  async #see(): Promise<Seen> {
    const writes = this.#writes;
    const record = await this.#entry.read();
    const mark = await this.#entry.readMark();
    const isMissed = record === null && this.#state.place === 'store';
    const news = isMissed ? await this.#entry.readReason() : undefined;
    // The record is older than what this tab wrote meanwhile.
    if (writes !== this.#writes) return this.#see();
    // The system clock may have been set back since the sign-in.
    const live = record && this.#hold(record, this.clock.now() - Math.max(0, Date.now() - record.askedAt));
    return { record, mark, news, live: live ?? undefined };
  }

  /** Reads store and mark under the lock, and carries out a plan. */
  async #alone(plan: Plan): Promise<void> {
    const act = async () => this.#dispatch({ ...plan, seen: await this.#see() });
    const limits = { signal: this.#closing.signal, ms: lockPatienceMs };
    if (!(await exclusively(this.#entry.key, this.#shelf, act, limits))) await act();
  }

  /** Changes the state, and does what follows: listeners are called at once. */
  async #dispatch(event: TabEvent): Promise<void> {
    const before = this.#state;
    const [state, effects] = step(before, event, Date.now());
    this.#state = state;
    if (state.awaited !== before.awaited) this.#follow(state.awaited > 0);
    const { reason, leave, news, mark } = effects;
    if (reason) {
      this.#life.abort();
      this.#life = new AbortController();
    }
    if (state.live !== before.live || isOutdated(state) !== isOutdated(before)) {
      this.listeners.emit('change', undefined);
    }
    if (reason) this.listeners.emit('end', { reason });
    if (leave) void this.#leave(leave, this.#entry.read());
    if (news) void quietly(() => this.#tabs?.post(news));
    if (mark !== undefined) await this.#entry.writeMark(mark);
    else if (news && reason) await this.#entry.writeReason(news);
    await this.#store(leave ? 'remove' : effects.store, state);
  }

  async #store(effect: Effects['store'], { live, version }: TabState): Promise<void> {
    if (effect === 'look') void this.reread();
    if (effect === 'mend') await this.#alone({ type: 'mend' });
    if (effect === 'remove' || effect === 'write') this.#writes++;
    if (effect === 'remove') await this.#entry.remove();
    if (effect === 'write' && live) {
      const isKept = await this.#entry.write({ ...live, version });
      await this.#dispatch({ type: 'written', live, isKept });
    }
  }

  /** Logs out at the service, also the session in the store if it is another one. Returns false if that failed. */
  async #leave(live: LiveSession | undefined, reading: ReturnType<Entry['read']>): Promise<boolean> {
    const leave = async (token: string | undefined) => !token || endSession(this.connection, `Bearer ${token}`);
    const left = leave(live?.token);
    const stored = (await reading)?.token;
    const isLeft = await leave(stored === live?.token ? undefined : stored);
    return (await left) && isLeft;
  }

  /** Reads the store until the announced session appears. After a time limit, this tab is signed out. */
  #follow(isAwaited: boolean): void {
    this.#arrival.stop.abort();
    if (!isAwaited) return;
    const stop = new AbortController();
    const { signal } = stop;
    const read = async () => {
      for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs *= 2) {
        await this.reread();
        await sleep(pauseMs, { signal });
      }
    };
    const over = Promise.race([read(), sleep(patienceMs, { signal })]).then(() => {
      if (!signal.aborted) void this.#dispatch({ type: 'waited' });
    });
    this.#arrival = { stop, over };
  }
}
