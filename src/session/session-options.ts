import { type ConnectionOptions, connectionReaders } from '../connection/connection-options.js';
import type { Credentials } from '../connection/credentials-contract.js';
import { readDuration } from '../lib/duration.js';
import {
  accepting,
  oneOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readName,
  transform,
  withMethods,
} from '../lib/readers.js';
import { type SessionStore, type StoreName, storeNames } from './shelf.js';

/** The session as the option `renew` gets it: credentials for the call that requests the next token. */
export interface CurrentSession extends Credentials {
  /** The name of the user. */
  readonly user: string | undefined;
  /** The end of the session as known now. */
  readonly expiresAt: Date | undefined;
}

/** Options of {@link createSession}: those of a connection, and how the session is kept. */
export interface SessionOptions extends Omit<ConnectionOptions, 'credentials'> {
  /**
   * Where the token is kept. `memory` (the default) does not survive a reload; `sessionStorage` does, separately in
   * each tab; tabs share a session in `localStorage` or in a store of yours. If a store is missing, as in Node, or
   * fails, the session is kept in memory.
   */
  readonly store?: StoreName | SessionStore | undefined;
  /** Tells sessions of one page and database apart. Default `default`. */
  readonly name?: string | undefined;
  /** A duration, after which the user has to sign in again, however often the token was renewed. Default `12h`. */
  readonly maxAge?: string | undefined;
  /**
   * Returns a new token of the same user. It replaces createToken in a page behind the gateway, where a service of
   * yours has to mint tokens. Called while the current token is valid, so the session works as credentials of that
   * call.
   */
  readonly renew?: ((session: CurrentSession) => string | Promise<string>) | undefined;
}

const readStore: Reader<StoreName | SessionStore> = (value, reading) =>
  typeof value === 'string'
    ? oneOf(...storeNames)(value, reading)
    : withMethods<SessionStore>(
        'a name, or an object with get(), set() and delete()',
        'get',
        'set',
        'delete',
      )(value, reading);
const readRenew: Reader<NonNullable<SessionOptions['renew']>> = accepting(
  'a function',
  (value) => typeof value === 'function',
);

/** Reads the options of a session. */
export const readSessionOptions = optionsOf({
  ...connectionReaders,
  credentials: accepting<never>('none: a session signs in by itself', () => false),
  store: readStore,
  name: readName,
  maxAge: transform(readDuration, (ms, reading) => (ms > 0 ? ms : reading.report<number>('must not be 0'))),
  renew: readRenew,
} satisfies ReadersOf<SessionOptions & Pick<ConnectionOptions, 'credentials'>>);
