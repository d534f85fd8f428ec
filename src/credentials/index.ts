import { basic } from './basic.js';
import { bearer } from './bearer.js';
import { login } from './login.js';
import { minted } from './minted.js';

/**
 * The ways to have credentials; each gives what `createClient({ credentials })` takes. `arango-services/node` has
 * `tokenFile`.
 *
 * @example
 * ```ts
 * const url = 'http://localhost:8529';
 * createClient({ url, credentials: credentials.login({ username: 'alice', password: 'secret' }) });
 * createClient({ url, credentials: credentials.minted({ user: 'svc', lifetime: '10m' }) });
 * createClient({ url, credentials: credentials.bearer(async () => 'the token of the moment') });
 * createClient({ url, credentials: credentials.basic('alice', 'secret') });
 * ```
 * @namespace
 */
export const credentials = {
  /** User and password in every request: `basic('alice', 'secret')`. */
  basic,
  /** A token, or a function that gives the one of the moment: `bearer(token)`. */
  bearer,
  /** A session of a user, begun again by itself: `login({ username, password })`. */
  login,
  /**
   * Tokens that the authentication service makes, renewed by themselves: `minted({ user: 'svc', lifetime: '10m' })`.
   */
  minted,
} as const;
