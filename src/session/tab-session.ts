import type { Connection } from '../connection/connection.js';
import type { Clock } from '../connection/credentials-contract.js';
import { quietly } from '../lib/quietly.js';
import { type EndReason, Listeners } from './events.js';
import { type Held, hold } from './held.js';
import { exclusively } from './lock.js';
import { formatRecord, parseRecord, readSession } from './record.js';
import { logOut } from './service.js';
import type { Shelf } from './shelf.js';
import { type News, openTabs, type Tabs } from './tabs.js';

/** The session of this tab, in sync with its store and with the other tabs. */
export class TabSession {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly listeners = new Listeners();
  readonly #shelf: Shelf;
  readonly #key: string;
  readonly #maxAgeMs: number;
  readonly #tabs: Tabs | undefined;
  #held: Held | undefined;
  /** Counts the beginnings and ends of sessions, so that a slow `restore` does not undo it. */
  #changes = 0;
  /** True if the store holds this session. */
  #isKept = false;

  constructor(connection: Connection, clock: Clock, shelf: Shelf, name: string, maxAgeMs: number) {
    this.connection = connection;
    this.clock = clock;
    this.#shelf = shelf;
    this.#maxAgeMs = maxAgeMs;
    const { origin, path } = connection.nameOf({ method: 'GET', path: '' });
    // Only pages have a location.
    const { location } = globalThis as { location?: { origin: string } };
    this.#key = `arango-services ${location?.origin ?? ''} ${origin}${path} ${name}`;
    // Without a page there are no tabs, and sessions of other users may live in the same process.
    const hasTabs = shelf.isShared || 'document' in globalThis;
    this.#tabs = hasTabs ? openTabs(this.#key, (news) => void this.#hear(news)) : undefined;
  }

  /** The session that was last signed in, restored or renewed; it may have expired. */
  get held(): Held | undefined {
    return this.#held;
  }

  /** The session, unless it has expired. */
  get valid(): Held | undefined {
    const held = this.#held;
    // The age is measured by the system clock, because the connection's may stop while the machine sleeps.
    const isOver = held && (this.clock.now() >= held.endsAt || Date.now() >= held.mustEndAt);
    return isOver ? undefined : held;
  }

  /**
   * Records when a token is requested. Returns a function that reads the token and returns undefined if it names no
   * user or has expired. Without `signedInAt`, the user signs in now.
   */
  startAsking(signedInAt?: number): (token: string) => Held | undefined {
    const [askedAt, startedAt] = [Date.now(), this.clock.now()];
    return (token) => this.#hold(readSession({ token, askedAt, signedInAt: signedInAt ?? askedAt }), startedAt);
  }

  /** Adopts a new session, and writes it to the store. */
  async keep(held: Held): Promise<void> {
    this.#become(held);
    this.#isKept = await this.#shelf.write(this.#key, formatRecord(held));
    // Another tab signed out during the write.
    if (!this.#held) await this.#shelf.remove(this.#key);
    this.#tell('change');
  }

  /** Adopts the state of the store: another session, or the end of this one. A failing store changes nothing. */
  async reread(reason: EndReason = 'lost'): Promise<void> {
    const changes = this.#changes;
    const text = await this.#shelf.read(this.#key);
    if (text === undefined || changes !== this.#changes) return;
    const read = text === null ? undefined : parseRecord(text);
    // The session in use has its times on a better clock.
    if (read && read.token === this.#held?.token) return;
    // The system clock may have been set back since.
    const next = read && this.#hold(read, this.clock.now() - Math.max(0, Date.now() - read.askedAt));
    if (!next && text !== null) await this.#shelf.remove(this.#key);
    if (changes !== this.#changes) return;
    if (next) this.#become(next);
    else if (this.#isKept) this.#end(reason);
    this.#isKept = next !== undefined;
  }

  /** True if this session is still in use. Rereads the store first if other tabs may have written to it. */
  async isStill(held: Held): Promise<boolean> {
    if (this.#shelf.isShared) await this.reread();
    return this.#held === held;
  }

  /** Runs work in one tab at a time of those that share the store. */
  alone(work: () => Promise<void>): Promise<void> {
    return this.#shelf.isShared ? exclusively(this.#key, this.#shelf, work) : work();
  }

  /** Ends the session, unless the store holds a newer one. */
  async giveUp(reason: EndReason): Promise<void> {
    const held = this.#held;
    if (!held) return;
    await this.reread(reason);
    if (this.#held === held) {
      this.#end(reason);
      await this.#shelf.remove(this.#key);
    }
    if (!this.#held) this.#tell('change');
  }

  /** Ends the session everywhere; false if the logout at the service failed. */
  signOut(): Promise<boolean> {
    const left = this.#leave();
    this.#tell('end');
    return left;
  }

  /** Stops the exchange with other tabs and with the service. */
  close(): Promise<void> {
    this.#tabs?.close();
    return this.connection.close();
  }

  #hold(read: Parameters<typeof hold>[0], startedAt: number): Held | undefined {
    return hold(read, startedAt, this.clock.now(), this.#maxAgeMs);
  }

  #become(held: Held | undefined): void {
    this.#held = held;
    this.#changes++;
    this.listeners.emit('change', undefined);
  }

  #end(reason: EndReason): void {
    // Counts without a session, too: a `restore` in flight must not bring one back.
    this.#changes++;
    if (!this.#held) return;
    this.#become(undefined);
    this.listeners.emit('end', { reason });
  }

  /** Ends the session in this tab, in the store, and at the service; false if that fails. */
  async #leave(): Promise<boolean> {
    const held = this.#held;
    this.#end('signed-out');
    const stored = held ? undefined : this.#shelf.read(this.#key);
    const removed = this.#shelf.remove(this.#key);
    const { token } = held ?? parseRecord(await stored) ?? {};
    const isDone = token === undefined || (await logOut(this.connection, `Bearer ${token}`));
    await removed;
    return isDone;
  }

  #tell(news: News): void {
    quietly(() => this.#tabs?.tell(news));
  }

  async #hear(news: unknown): Promise<void> {
    const { isShared } = this.#shelf;
    // A session of its own: nothing but this tab can end it in its store and at the service.
    if (news === 'end') await (isShared ? this.#end('signed-out') : this.#leave());
    else if (isShared) await this.reread();
  }
}
