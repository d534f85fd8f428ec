import type { Credentials } from '../connection/credentials-contract.js';
import { readArgument } from '../lib/readers.js';
import { AuthenticationClient } from '../services/authentication/client.js';
import { readLogin } from '../services/authentication/messages.js';
import { tokenTimeoutMs } from './renewal-times.js';
import { renewing } from './renewing.js';

/**
 * Logs a user in with the first call, and renews the session automatically (POST login).
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the field. If the login fails, the call rejects with
 * CredentialsError.
 * @example
 * ```ts
 * const client = createClient({
 *   url: 'http://localhost:8529',
 *   credentials: credentials.login({ username: 'alice', password: 'secret' }),
 * });
 * ```
 */
export function login(user: { readonly username: string; readonly password: string }): Credentials {
  const { username, password } = readArgument(user, 'credentials', readLogin);
  return renewing((connection) =>
    new AuthenticationClient(connection).login({ username, password }, { timeout: tokenTimeoutMs }),
  );
}
