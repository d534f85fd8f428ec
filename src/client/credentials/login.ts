import { oneOf, optional, type ReadersOf, readArgument, readName, strictObject } from '../../base/lib/readers.js';
import type { AuthorizedSender, Credentials } from '../connection/credentials-contract.js';
import { databaseSession, loginFields, type Session } from '../services/authentication/authentication-messages.js';
import { authentication, logIn } from '../services/authentication/calls.js';
import { Service } from '../services/service-client.js';
import { tokenTimeoutMs as timeout } from './renewal-times.js';
import { renewing } from './renewing.js';

/** Options of `credentials.login`. */
export interface LoginOptions {
  /** The name of the user. May be missing only with `via: 'database'` and an access token as the password. */
  readonly username?: string | undefined;
  /** The password, or an access token of the database. Never part of an error. */
  readonly password: string;
  /**
   * `platform` (default) logs in at the platform's authentication service, `database` at `/_open/auth` of an ArangoDB
   * without the platform's services.
   */
  readonly via?: 'platform' | 'database' | undefined;
}

const readOptions = strictObject(
  {
    ...loginFields,
    username: optional(readName),
    via: optional(oneOf('platform', 'database')),
  } satisfies ReadersOf<LoginOptions>,
  '{ username, password }',
);

/** Logs in at the database itself. */
const openSession = (connection: AuthorizedSender, body: object, password: string): Promise<Session> =>
  new Service(connection, 'root', '/_open/').ask('POST', 'auth', databaseSession, { timeout }, () => ({
    body,
    confidential: [password],
  }));

/**
 * Logs a user in with the first call, and renews the session automatically (POST login, or POST `/_open/auth` with
 * `via: 'database'`).
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the field. If the login fails, the call rejects with
 * CredentialsError.
 * @example
 * ```ts
 * const client = createClient({
 *   url: 'http://localhost:8529',
 *   credentials: credentials.login({ username: 'alice', password: 'secret' }),
 * });
 * const byToken = credentials.login({ password: 'an access token', via: 'database' });
 * ```
 */
export function login(options: LoginOptions): Credentials {
  const { username, password, via } = readArgument(options, 'credentials', readOptions);
  if (via === 'database') return renewing((connection) => openSession(connection, { username, password }, password));
  const user = { username: readArgument(username, 'credentials.username', readName), password };
  return renewing((connection) => logIn(authentication(connection, true), user, { timeout }));
}
