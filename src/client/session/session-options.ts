import { readPeriod } from '../../base/lib/duration.js';
import {
  accepting,
  oneOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFunction,
  readName,
  withMethods,
} from '../../base/lib/readers.js';
import { type ConnectionOptions, connectionReaders } from '../connection/connection-options.js';
import type { Credentials } from '../connection/credentials-contract.js';
import { type SessionStore, type StoreName, storeNames } from './shelf.js';

/**
 * The argument of the option `renew`: the session, which serves as credentials for the call that requests the next
 * token.
 */
export interface CurrentSession extends Credentials {
  /** The name of the user. */
  readonly user: string | undefined;
  /** The current end of the session. */
  readonly expiresAt: Date | undefined;
}

/** Options of {@link createSession} with a client: how to keep the session. */
export interface ClientSessionOptions {
  /**
   * Where the token is kept. `memory` (the default) does not survive a reload; `sessionStorage` does, separately in
   * each tab; tabs share a session in `localStorage` or in a custom store. If the store is missing, as in Node, or
   * fails, the session is kept in memory.
   */
  readonly store?: StoreName | SessionStore | undefined;
  /** Distinguishes several sessions of one page and database. Default `default`. */
  readonly name?: string | undefined;
  /** How long the user stays signed in, as a duration, no matter how often the token is renewed. Default `12h`. */
  readonly maxAge?: string | undefined;
  /**
   * Returns a new token of the same user. Use it for a page behind the gateway, which cannot reach createToken, to
   * request tokens from your own service. Called while the current token is valid, so the session can be the
   * credentials of this request.
   */
  readonly renew?: ((session: CurrentSession) => string | Promise<string>) | undefined;
}

/** Options of {@link createSession}: those of a connection, and how to keep the session. */
export interface SessionOptions extends ClientSessionOptions, Omit<ConnectionOptions, 'credentials'> {}

const readStore: Reader<StoreName | SessionStore> = (value, reading) =>
  (typeof value === 'string'
    ? oneOf(...storeNames)
    : withMethods<SessionStore>('a name or an object with get, set and delete', 'get', 'set', 'delete'))(
    value,
    reading,
  );
const readRenew: Reader<NonNullable<SessionOptions['renew']>> = readFunction;

const never = (accepted: string) => accepting<never>(accepted, () => false);

const keepReaders = {
  store: readStore,
  name: readName,
  maxAge: readPeriod,
  renew: readRenew,
} satisfies ReadersOf<ClientSessionOptions>;

export const readSessionOptions = optionsOf({
  ...connectionReaders,
  ...keepReaders,
  credentials: never('none: a session signs in'),
} satisfies ReadersOf<SessionOptions & Pick<ConnectionOptions, 'credentials'>>);

const inherited = { value: never('none: the client has it') };
/** Options beside a client: those of its connection are refused, and not named as accepted. */
export const readClientSessionOptions = optionsOf<typeof keepReaders>(
  Object.defineProperties(
    { ...keepReaders },
    Object.fromEntries(Object.keys(connectionReaders).map((name) => [name, inherited])),
  ),
);
