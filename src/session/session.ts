import { Connection, openDeployment, readSettings } from '../connection/connection.js';
import type { Clock, CredentialsCall, CredentialsContext } from '../connection/credentials-contract.js';
import { renewalBackoffMs, tokenTimeoutMs } from '../credentials/renewal-times.js';
import { CredentialsError, isHttpError } from '../errors.js';
import { readOwner } from '../jwt/token-text.js';
import { quietly } from '../lib/quietly.js';
import { noSession } from '../lib/sign-in-marks.js';
import { SingleFlight } from '../lib/single-flight.js';
import { longestTimerMs, race } from '../lib/wait.js';
import { AuthenticationClient } from '../services/authentication/client.js';
import type { LoginRequest } from '../services/authentication/messages.js';
import { type EndReason, Listeners, type SessionEvents } from './events.js';
import { type Held, hold } from './held.js';
import { exclusively } from './lock.js';
import { formatRecord, parseRecord, readSession } from './record.js';
import { isLasting, logOut, requestToken } from './service.js';
import { type CurrentSession, readSessionOptions, type SessionOptions } from './session-options.js';
import { Shelf } from './shelf.js';
import { type News, onReturn, openTabs, type Tabs } from './tabs.js';

const defaultMaxAgeMs = 43_200_000;

/**
 * A user's session, which a page keeps over reloads and shares with other tabs: credentials for any number of clients.
 * Create it with {@link createSession}. Its token is nowhere but in its store and in the header of calls.
 */
export class UserSession implements CurrentSession {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #shelf: Shelf;
  readonly #key: string;
  readonly #maxAgeMs: number;
  readonly #renewer: SessionOptions['renew'];
  readonly #tabs: Tabs | undefined;
  readonly #stopReturns: () => void;
  /** The users of calls in flight: an attempt of a call is not repeated as another user. */
  readonly #users = new WeakMap<CredentialsCall, string>();
  readonly #listeners = new Listeners();
  readonly #renewal = new SingleFlight<void>(tokenTimeoutMs);
  #held: Held | undefined;
  /** Counts what began or ended a session, so that a slow `restore` does not undo it. */
  #changes = 0;
  /** Counts `signIn` and `signOut`; the last of them that succeeded is not undone by the slow login of one before. */
  #turns = 0;
  #lastTurn = 0;
  /** True if the store holds this session. */
  #isKept = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** Does the same as {@link createSession}. */
  constructor(options: SessionOptions) {
    const {
      store = 'memory',
      name = 'default',
      maxAge,
      renew,
      ...settings
    } = readSettings(options, readSessionOptions);
    this.#connection = new Connection(undefined, openDeployment(settings));
    this.#clock = settings.clock ?? performance;
    this.#shelf = new Shelf(store);
    this.#maxAgeMs = maxAge ?? defaultMaxAgeMs;
    this.#renewer = renew;
    const { origin, path } = this.#connection.nameOf({ method: 'GET', path: '' });
    // Only pages have a location.
    const { location } = globalThis as { location?: { origin: string } };
    this.#key = `arango-services ${location?.origin ?? ''} ${origin}${path} ${name}`;
    // Without a page there are no tabs, and sessions of other users may live in the same process.
    const hasTabs = this.#shelf.isShared || 'document' in globalThis;
    this.#tabs = hasTabs ? openTabs(this.#key, (news) => void this.#hear(news)) : undefined;
    this.#stopReturns = onReturn(() => void this.#comeBack());
  }

  /** The name of the user, for display; undefined without a session. The page cannot verify it, services do. */
  get user(): string | undefined {
    return this.#valid?.user;
  }

  /** The end of the session as known now; a renewal postpones it. Undefined without a session. */
  get expiresAt(): Date | undefined {
    const held = this.#valid;
    return held && new Date(Math.min(held.expiresAtMs, held.signedInAt + this.#maxAgeMs));
  }

  /**
   * Signs a user in. A former session is replaced, unless it fails. (POST login)
   *
   * @throws CredentialsError (code `CREDENTIALS`) if `signOut` or a later `signIn` was done before it was answered.
   * @throws HttpError (code `HTTP`, status 401) for a wrong password: `isWrongPassword(error)`.
   * @example
   * ```ts
   * import { isWrongPassword } from 'arango-services';
   * import { createSession } from 'arango-services/session';
   *
   * const session = createSession({ url: 'http://localhost:8529', store: 'sessionStorage' });
   * await session.signIn({ username: 'alice', password: 'secret' }).catch((error: unknown) => {
   *   if (isWrongPassword(error)) console.log('wrong name or password');
   *   else throw error;
   * });
   * ```
   */
  async signIn(request: LoginRequest): Promise<void> {
    const turn = ++this.#turns;
    const [askedAt, startedAt] = [Date.now(), this.#clock.now()];
    const { token } = await new AuthenticationClient(this.#connection).login(request);
    if (turn < this.#lastTurn) {
      void logOut(this.#connection, `Bearer ${token}`);
      throw new CredentialsError('a later signIn() or signOut() took the place of this one');
    }
    const next = this.#hold(readSession({ token, askedAt, signedInAt: askedAt }), startedAt);
    if (!next) throw new CredentialsError('the login gave no valid token of a user');
    this.#lastTurn = turn;
    await this.#keep(next);
  }

  /**
   * Takes up the session that the store holds, if it is not damaged and its time is not over.
   *
   * @returns true if there is a session now. It never rejects.
   */
  async restore(): Promise<boolean> {
    await this.#reread();
    return this.#valid !== undefined;
  }

  /**
   * Ends the session in this tab, in the store, in all other tabs of this name, and at the service (GET logout), also a
   * session of the store that was not restored. In a browser the service ends the session of its cookie; a token by
   * itself remains valid until it expires.
   *
   * @returns false if the service could not be told. It never rejects.
   */
  async signOut(): Promise<boolean> {
    const held = this.#held;
    this.#lastTurn = ++this.#turns;
    this.#end('signed-out');
    const left = this.#leave(held);
    this.#tell('end');
    return left;
  }

  /**
   * Calls a listener with each `change`, or at each `end`. What it throws is ignored.
   *
   * @returns a function that removes the listener.
   */
  on<E extends keyof SessionEvents>(event: E, listener: (event: SessionEvents[E]) => void): () => void {
    return this.#listeners.add(event, listener);
  }

  /** Stops the timer and the exchange with other tabs. The store keeps the session. */
  close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#tabs?.close();
    this.#stopReturns();
    return this.#connection.close();
  }

  /** Gives the header of a call, and renews the token when it is due. */
  authorize(_context: CredentialsContext, call?: CredentialsCall): string | Promise<string> {
    const held = this.#valid;
    if (!held) return this.#headerAfterEnd(call);
    if (this.#isDue(held)) {
      const beside = this.#renew(held);
      call?.waitUntil?.(beside);
    }
    return this.#headerFor(held, call);
  }

  /** A 401 ends the session, unless another tab has renewed it. True if the call may be repeated, as the same user. */
  async reject(value: string): Promise<boolean> {
    if (this.#held?.header === value) await this.#giveUp('refused');
    const user = this.#valid?.user;
    return user !== undefined && readOwner(value.replace('Bearer ', ''))?.user === user;
  }

  /** Gives the current header, or undefined. */
  currentToken(): string | undefined {
    return this.#valid?.header;
  }

  get #valid(): Held | undefined {
    const held = this.#held;
    // The machine's time counts for the age, because the clock may stand still while the machine sleeps.
    const isOver = held && (this.#clock.now() >= held.endsAt || Date.now() >= held.signedInAt + this.#maxAgeMs);
    return isOver ? undefined : held;
  }

  async #headerAfterEnd(call?: CredentialsCall): Promise<string> {
    await this.#giveUp('expired');
    const held = this.#valid;
    if (!held) throw new CredentialsError('there is no session: sign in', {}, { code: noSession });
    return this.#headerFor(held, call);
  }

  #headerFor({ header, user }: Held, call?: CredentialsCall): string {
    if (call && (this.#users.get(call) ?? user) !== user) {
      throw new CredentialsError('another user signed in before the call was repeated');
    }
    if (call) this.#users.set(call, user);
    return header;
  }

  #isDue({ renewAt }: Held): boolean {
    return this.#clock.now() >= renewAt && !this.#renewal.underWay;
  }

  #hold(read: Parameters<typeof hold>[0], startedAt: number): Held | undefined {
    return hold(read, startedAt, this.#clock.now(), this.#maxAgeMs);
  }

  #become(held: Held | undefined): void {
    this.#held = held;
    this.#changes++;
    this.#schedule();
    this.#listeners.emit('change', undefined);
  }

  /** Uses a new session, and writes it to the store. */
  async #keep(held: Held): Promise<void> {
    this.#become(held);
    this.#isKept = await this.#shelf.write(this.#key, formatRecord(held));
    // Signed out in another tab while this one wrote.
    if (!this.#held) await this.#shelf.remove(this.#key);
    this.#tell('change');
  }

  #end(reason: EndReason): void {
    // Counts without a session, too: a `restore` under way must not bring one back.
    this.#changes++;
    if (!this.#held) return;
    this.#become(undefined);
    this.#listeners.emit('end', { reason });
  }

  /** Takes over what the store holds: another session, or the end of this one. A store that fails says nothing. */
  async #reread(reason: EndReason = 'lost'): Promise<void> {
    const changes = this.#changes;
    const text = await this.#shelf.read(this.#key);
    if (text === undefined || changes !== this.#changes) return;
    const read = text === null ? undefined : parseRecord(text);
    // Its times are known on a better clock.
    if (read && read.token === this.#held?.token) return;
    // The machine's time may have been set back since.
    const next = read && this.#hold(read, this.#clock.now() - Math.max(0, Date.now() - read.askedAt));
    if (!next && text !== null) await this.#shelf.remove(this.#key);
    if (changes !== this.#changes) return;
    if (next) this.#become(next);
    else if (this.#isKept) this.#end(reason);
    this.#isKept = next !== undefined;
  }

  /** Removes the session from the store, and ends it at the service; false if that fails. */
  async #leave(held: Held | undefined): Promise<boolean> {
    const stored = held ? undefined : this.#shelf.read(this.#key);
    const removed = this.#shelf.remove(this.#key);
    const { token } = held ?? parseRecord(await stored) ?? {};
    const isDone = token === undefined || (await logOut(this.#connection, `Bearer ${token}`));
    await removed;
    return isDone;
  }

  /** Ends the session, unless the store holds a newer one. */
  async #giveUp(reason: EndReason): Promise<void> {
    const held = this.#held;
    if (!held) return;
    await this.#reread(reason);
    if (this.#held === held) {
      this.#end(reason);
      await this.#shelf.remove(this.#key);
    }
    if (!this.#held) this.#tell('change');
  }

  /** Renews the token, one request at a time: in this tab, and in all that share the store. It never rejects. */
  #renew(held: Held): Promise<void> {
    const ask = () => this.#ask(held);
    const work = async () => {
      try {
        await race(this.#shelf.isShared ? exclusively(this.#key, this.#shelf, ask) : ask(), { ms: tokenTimeoutMs });
      } catch (error) {
        const isFinal = !this.#renewer && isLasting(error);
        held.renewAt = isFinal ? Number.POSITIVE_INFINITY : this.#clock.now() + renewalBackoffMs(held.failures++);
        if (isHttpError(error) && error.status === 401 && this.#held === held) await this.#giveUp('refused');
      }
    };
    return this.#renewal.run(work).finally(() => this.#schedule());
  }

  /** Replaces the token by a new one of the same user, unless another tab has done so. */
  async #ask(held: Held): Promise<void> {
    const isStillHeld = async () => {
      if (this.#shelf.isShared) await this.#reread();
      return this.#held === held;
    };
    if (!(await isStillHeld())) return;
    const { header, user, groups, lifetimeMs, signedInAt } = held;
    const [askedAt, startedAt] = [Date.now(), this.#clock.now()];
    // Always with a user: without one, the service would make a privileged token.
    const request = { user, groups, lifetimeMs };
    const token = this.#renewer ? await this.#renewer(this) : await requestToken(this.#connection, header, request);
    if (!(await isStillHeld())) return;
    const next = this.#hold(readSession({ token: String(token), askedAt, signedInAt }), startedAt);
    await (next?.user === user ? this.#keep(next) : this.#giveUp('refused'));
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    if (!held || this.#isClosed) return;
    const { endsAt, renewAt } = held;
    const now = this.#clock.now();
    const ageLeftMs = held.signedInAt + this.#maxAgeMs - Date.now();
    const renewInMs = this.#renewal.underWay ? Number.POSITIVE_INFINITY : renewAt - now;
    const leftMs = Math.min(endsAt - now, ageLeftMs, renewInMs);
    this.#timer = setTimeout(() => void this.#tick(held), Math.min(Math.max(0, leftMs) + 1, longestTimerMs));
    // In Node a session does not keep the process alive.
    (this.#timer as { unref?(): void }).unref?.();
  }

  async #tick(held: Held): Promise<void> {
    if (!this.#valid) await this.#giveUp('expired');
    else if (this.#isDue(held)) await this.#renew(held);
    else this.#schedule();
  }

  #tell(news: News): void {
    quietly(() => this.#tabs?.tell(news));
  }

  async #hear(news: unknown): Promise<void> {
    const { isShared } = this.#shelf;
    const held = this.#held;
    if (news === 'end') this.#end('signed-out');
    else if (isShared) await this.#reread();
    // A session of its own: nothing but this tab can end it in its store and at the service.
    if (news === 'end' && !isShared) await this.#leave(held);
  }

  /** Catches up on what the page has missed: news, and timers. */
  async #comeBack(): Promise<void> {
    await this.#reread();
    if (this.#held) await this.#tick(this.#held);
  }
}

/**
 * Creates a session for the users of a page, which survives a reload where its store does. Nothing is sent before the
 * user signs in.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option and what is accepted.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createSession } from 'arango-services/session';
 *
 * const url = 'http://localhost:8529';
 * const session = createSession({ url, store: 'sessionStorage' });
 * if (!(await session.restore())) await session.signIn({ username: 'alice', password: 'secret' });
 * const client = createClient({ url, credentials: session });
 * session.on('end', ({ reason }) => console.log('please sign in again', reason));
 * ```
 */
export function createSession(options: SessionOptions): UserSession {
  return new UserSession(options);
}
