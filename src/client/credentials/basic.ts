import { requireEngine } from '../../base/lib/engine.js';
import { filled, readArgument, readText, transform } from '../../base/lib/readers.js';
import type { Credentials } from '../connection/credentials-contract.js';

const readPassword = transform(readText, (text, reading) =>
  /\p{Cc}/u.test(text) ? reading.report<string>('holds a control character') : text,
);
const readUser = transform(readPassword, (text, reading) =>
  text.includes(':') ? reading.report<string>('holds a colon') : text,
);

/**
 * Sends user and password with every request (HTTP Basic, UTF-8). With an access token as the password, the user may be
 * empty. Only the database takes it, and only without RBAC.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if both are empty, for a user with a colon, control characters, or
 * more than 4096 characters; Error naming the features that the engine lacks.
 * @example
 * ```ts
 * const client = createClient({ url: 'http://localhost:8529', credentials: credentials.basic('alice', 'secret') });
 * ```
 */
export function basic(user: string, password: string): Credentials {
  requireEngine();
  const name = readArgument(user, 'credentials.user', password ? readUser : filled(readUser));
  const secret = readArgument(password, 'credentials.password', readPassword);
  const value = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${secret}`)))}`;
  return { authorize: () => value };
}
