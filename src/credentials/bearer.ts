import type { Credentials } from '../connection/credentials-contract.js';
import { readArgument, readToken, transform } from '../lib/readers.js';

const readVisible = transform(readToken, (token, reading) => {
  if (!/[^\x21-\x7e]/.test(token)) return token;
  return reading.report(/^bearer /i.test(token) ? 'leave out `Bearer `' : 'holds what is not visible ASCII');
});

/**
 * A bearer token, or a function that gives the current one and is asked for each call.
 * A function counts as renewable: after a 401 it is asked once more and the call is repeated.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an empty token or one with white space. A function that
 * fails rejects the call with CredentialsError.
 * @example
 * ```ts
 * const current = async () => 'the token of the moment';
 * const client = createClient({ url: 'http://localhost:8529', credentials: credentials.bearer(current) });
 * ```
 */
export function bearer(token: string | (() => string | Promise<string>)): Credentials {
  const header = (given: unknown) => `Bearer ${readArgument(given, 'credentials.token', readVisible)}`;
  if (typeof token === 'function') {
    const ask = async () => header(await token());
    return { authorize: ask, reject: () => true, currentToken: ask };
  }
  const value = header(token);
  const give = () => value;
  return { authorize: give, currentToken: give };
}
