import { basic } from './basic.js';
import { bearer } from './bearer.js';
import { cookies } from './cookies.js';
import { login } from './login.js';
import { minted } from './minted.js';

/**
 * Factories for the option `credentials` of `createClient`. `arango-services/node` also has `tokenFile`.
 * @example
 * ```ts
 * const url = 'http://localhost:8529';
 * createClient({ url, credentials: credentials.login({ username: 'alice', password: 'secret' }) });
 * createClient({ url, credentials: credentials.minted({ user: 'svc', lifetime: '10m' }) });
 * createClient({ url, credentials: credentials.bearer(async () => 'the current token') });
 * createClient({ url, credentials: credentials.basic('alice', 'secret') });
 * ```
 * @namespace
 */
export const credentials = {
  /** Sends user and password with every request: `basic('alice', 'secret')`. */
  basic,
  /** Sends a token, or the current result of a function: `bearer(token)`. */
  bearer,
  /** Leaves authentication to the cookies of the gateway, in browsers: `cookies({ crossOrigin: true })`. */
  cookies,
  /** Starts and renews a session of a user: `login({ username, password })`. */
  login,
  /** Obtains and renews tokens of the authentication service: `minted({ user: 'svc', lifetime: '10m' })`. */
  minted,
} as const;
