import type { Credentials } from '../connection/credentials.js';
import { longestToken, textOf } from '../lib/arguments.js';

const readVisible = textOf(1, longestToken, /[^\x21-\x7e]/, 'of visible ASCII, or a function that gives it');

/**
 * A bearer token, or a function that gives the current one and is asked for each call.
 * A function counts as renewable: after a 401 it is asked once more and the call is repeated.
 * @throws InvalidArgumentError for an empty token or one with white space. A function that fails rejects the call with CredentialsError.
 */
export function bearer(token: string | (() => string | Promise<string>)): Credentials {
  const header = (given: unknown) => `Bearer ${readVisible(given, 'credentials.token')}`;
  if (typeof token === 'function') {
    const ask = async () => header(await token());
    return { authorize: ask, reject: () => true, held: ask };
  }
  const value = header(token);
  const give = () => value;
  return { authorize: give, held: give };
}
