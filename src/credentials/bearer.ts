import { CredentialsError, InvalidArgumentError } from '../errors.js';
import type { Credentials } from './credentials.js';

const tokenText = /^[\x21-\x7e]+$/;

/**
 * A bearer token, or a function that gives the current one and is asked for each call.
 * A function counts as renewable: after a 401 it is asked once more and the call is repeated.
 * @throws InvalidArgumentError for an empty token or one with white space. A function that fails rejects the call with CredentialsError.
 */
export function bearer(token: string | (() => string | Promise<string>)): Credentials {
  if (typeof token === 'function') {
    const ask = async () => {
      let given: unknown;
      try {
        given = await token();
      } catch {
        // Whatever it threw may quote a secret.
        throw new CredentialsError('the token function of credentials.bearer failed');
      }
      if (typeof given === 'string' && tokenText.test(given)) return `Bearer ${given}`;
      throw new CredentialsError('the token function of credentials.bearer gave no token (visible ASCII, not empty)');
    };
    return { authorize: ask, reject: () => true, held: ask };
  }
  if (typeof token !== 'string' || !tokenText.test(token)) {
    throw new InvalidArgumentError(
      'credentials.token',
      'expected a token (visible ASCII, not empty) or a function that gives one',
    );
  }
  const value = `Bearer ${token}`;
  return { authorize: () => value, held: () => value };
}
