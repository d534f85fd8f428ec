import { readArgument, readToken, transform } from '../../base/lib/readers.js';
import type { Credentials } from '../connection/credentials-contract.js';

const readVisible = transform(readToken, (token, reading) => {
  if (!/[^\x21-\x7e]/.test(token)) return token;
  return reading.report(/^bearer /i.test(token) ? 'leave out `Bearer `' : 'must be visible ASCII');
});

/**
 * Sends a bearer token, or the result of a function that is called for each request. After a 401 the function is called
 * again and the request is repeated once.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an empty token or one with white space. If the function
 * fails, the call rejects with CredentialsError.
 * @example
 * ```ts
 * const current = async () => 'the current token';
 * const client = createClient({ url: 'http://localhost:8529', credentials: credentials.bearer(current) });
 * ```
 */
export function bearer(token: string | (() => string | Promise<string>)): Credentials {
  const header = (value: unknown) => `Bearer ${readArgument(value, 'credentials.token', readVisible)}`;
  if (typeof token === 'function') {
    const ask = async () => header(await token());
    return { authorize: ask, reject: () => true, currentToken: ask };
  }
  const value = header(token);
  const give = () => value;
  return { authorize: give, currentToken: give };
}
