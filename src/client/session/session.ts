import { CredentialsError } from '../../base/errors.js';
import { readOwner } from '../../base/jwt/token-text.js';
import { readFields } from '../../base/lib/readers.js';
import { noSession } from '../../base/lib/sign-in-marks.js';
import { Connection, openDeployment, readSettings } from '../connection/connection.js';
import type { CredentialsCall, CredentialsContext } from '../connection/credentials-contract.js';
import type { RouteClient } from '../route-client.js';
import type { LoginRequest } from '../services/authentication/authentication-messages.js';
import { authentication, logIn } from '../services/authentication/calls.js';
import { type Renewal, startRenewal } from './renewal.js';
import type { SessionEvents } from './session-events.js';
import {
  type ClientSessionOptions,
  type CurrentSession,
  readClientSessionOptions,
  readSessionOptions,
  type SessionOptions,
} from './session-options.js';
import type { LiveSession } from './session-record.js';
import { endSession } from './session-requests.js';
import { Shelf } from './shelf.js';
import { TabSession } from './tab-session.js';
import { watchPage } from './tabs.js';

const defaultMaxAgeMs = 43_200_000;

/**
 * A user's session: credentials for any number of clients, which survive reloads and are shared with other tabs if the
 * store allows. Create it with {@link createSession}. The token occurs only in the store and in the header of calls.
 */
export class UserSession implements CurrentSession {
  readonly #tab: TabSession;
  readonly #renewal: Renewal;
  readonly #stopWatching: () => void;
  /** The user of each call in flight, so that an attempt is never repeated as another user. */
  readonly #users = new WeakMap<CredentialsCall, string>();
  /** Counts calls of `signIn` and `signOut`, so that a slow login does not undo a later one that succeeded. */
  #turns = 0;
  #lastTurn = 0;

  /** Does the same as {@link createSession}. */
  constructor(client: RouteClient, options?: ClientSessionOptions);
  constructor(options: SessionOptions);
  constructor(source: SessionOptions | RouteClient, beside: ClientSessionOptions = {}) {
    // Not `instanceof`: the client may be of another copy of this package.
    const sender = 'sender' in Object(source) ? (source as RouteClient).sender : undefined;
    const {
      store = 'memory',
      name = 'default',
      maxAge: maxAgeMs = defaultMaxAgeMs,
      renew,
      ...settings
    } = sender ? readFields(beside, 'options', readClientSessionOptions) : readSettings(source, readSessionOptions);
    const connection = sender?.with({ credentials: undefined }) ?? new Connection(undefined, openDeployment(settings));
    this.#tab = new TabSession(connection, new Shelf(store), { name, maxAgeMs });
    this.#renewal = startRenewal(this.#tab, renew && (() => renew(this)));
    this.#stopWatching = watchPage((isResumed) => {
      this.#tab.suspend();
      if (isResumed) void this.#tab.settle().then(() => this.#renewal.catchUp());
    });
  }

  /** The name of the user, for display; undefined without a session. Only the services can verify it. */
  get user(): string | undefined {
    return this.#tab.valid?.user;
  }

  /** The current end of the session; a renewal postpones it. Undefined without a session. */
  get expiresAt(): Date | undefined {
    const live = this.#tab.valid;
    return live && new Date(Math.min(live.expiresAtMs, live.mustEndAt));
  }

  /**
   * Signs a user in. On success this replaces the former session. (POST login)
   * @throws CredentialsError (code `CREDENTIALS`) if a later `signOut` or `signIn` completed before the login was
   * answered.
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
    const { connection } = this.#tab;
    const read = this.#tab.startAsking();
    const { token } = await logIn(authentication(connection, true), request);
    if (turn < this.#lastTurn) {
      void endSession(connection, `Bearer ${token}`);
      throw new CredentialsError('superseded by a later signIn() or signOut()');
    }
    const next = read(token);
    if (!next) throw new CredentialsError('the login returned no valid token of a user');
    this.#lastTurn = turn;
    await this.#tab.keep(next);
  }

  /**
   * Restores the session of the store, unless it is damaged or has expired.
   *
   * @returns true if there is a session now. It never rejects.
   */
  async restore(): Promise<boolean> {
    await this.#tab.reread();
    await this.#tab.settle();
    return this.#tab.valid !== undefined;
  }

  /**
   * Ends the session in this tab, in the store, in all other tabs of this name, and at the service (GET logout). This
   * includes a session that is in the store but was not restored. In a browser the service ends the session of its
   * cookie; a token by itself remains valid until it expires.
   *
   * @returns false if the logout at the service failed. It never rejects.
   */
  async signOut(): Promise<boolean> {
    this.#lastTurn = ++this.#turns;
    return this.#tab.signOut();
  }

  /**
   * Calls a listener at each `change`, or at each `end`. Errors of the listener are ignored.
   *
   * @returns a function that removes the listener.
   */
  on<E extends keyof SessionEvents>(event: E, listener: (event: SessionEvents[E]) => void): () => void {
    return this.#tab.listeners.add(event, listener);
  }

  /** Stops the timer and the communication with other tabs. The session stays in the store. */
  close(): Promise<void> {
    this.#renewal.close();
    this.#stopWatching();
    return this.#tab.close();
  }

  /** Returns the header for a call. If the token is due, it is renewed first or in the background. */
  authorize(_context: CredentialsContext, call?: CredentialsCall): string | Promise<string> {
    const live = this.#tab.isStale ? undefined : this.#tab.valid;
    if (!live) return this.#settledHeader(call);
    const beside = this.#renewal.ifDue(live);
    if (beside) call?.waitUntil?.(beside);
    return this.#headerFor(live, call);
  }

  /**
   * Ends the session after a 401, unless another tab has renewed it. Returns true if the call may be repeated for the
   * same user.
   */
  async reject(value: string): Promise<boolean> {
    if (this.#tab.current?.header === value) await this.#tab.giveUp('refused');
    await this.#tab.settle();
    const user = this.#tab.valid?.user;
    return user !== undefined && readOwner(value.replace('Bearer ', ''))?.user === user;
  }

  /** Returns the current header, or undefined. */
  currentToken(): string | undefined {
    return this.#tab.valid?.header;
  }

  async #settledHeader(call?: CredentialsCall): Promise<string> {
    await this.#tab.settle();
    const live = this.#tab.valid;
    if (!live) throw new CredentialsError('there is no session: sign in', {}, { code: noSession });
    return this.#headerFor(live, call);
  }

  #headerFor({ header, user }: LiveSession, call?: CredentialsCall): string {
    if (call && (this.#users.get(call) ?? user) !== user) {
      throw new CredentialsError('another user signed in before the call was repeated');
    }
    if (call) this.#users.set(call, user);
    return header;
  }
}

/**
 * Creates a session at the deployment of a client, with the connection of the client: its URL, database, `gateway`,
 * `fetch`, `transport`, clock, headers and limits, but not its credentials.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option, such as one of the connection.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createSession } from 'arango-services/session';
 *
 * const gateway = createClient({ url: location.origin, database: 'shop', gateway: true });
 * const session = createSession(gateway, { store: 'sessionStorage' });
 * const client = gateway.with({ credentials: session });
 * ```
 */
export function createSession(client: RouteClient, options?: ClientSessionOptions): UserSession;
/**
 * Creates a session for the user of a page. It survives a reload if its store does. Sends nothing before the user
 * signs in.
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
export function createSession(options: SessionOptions): UserSession;
export function createSession(source: RouteClient | SessionOptions, options?: ClientSessionOptions): UserSession {
  // The cast: the constructor has the same overloads.
  return new UserSession(source as RouteClient, options);
}
