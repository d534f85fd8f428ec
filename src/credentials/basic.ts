import { expected, InvalidArgumentError } from '../errors.js';
import type { Credentials } from './credentials.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\0-\x1f\x7f]/;

/** User and password in every request (RFC 7617, UTF-8). @throws InvalidArgumentError for an empty user, one with a colon, control characters. */
export function basic(user: string, password: string): Credentials {
  if (typeof user !== 'string' || user === '') {
    throw expected('credentials.user', `a user name`, user);
  }
  if (typeof password !== 'string') {
    throw new InvalidArgumentError('credentials.password', 'expected a string');
  }
  if (user.includes(':')) throw new InvalidArgumentError('credentials.user', 'must not hold a colon');
  if (control.test(user)) throw new InvalidArgumentError('credentials.user', 'must not hold control characters');
  if (control.test(password))
    throw new InvalidArgumentError('credentials.password', 'must not hold control characters');
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  const value = `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
  return { authorize: () => value };
}
