import type { Credentials } from '../connection/credentials.js';
import { textOf } from '../lib/arguments.js';

const readUser = textOf(1, 4_096, /[:\p{Cc}\p{Surrogate}]/u, 'without colons and control characters');
const readPassword = textOf(0, 4_096, /[\p{Cc}\p{Surrogate}]/u, 'without control characters');

/** User and password in every request (RFC 7617, UTF-8). @throws InvalidArgumentError for an empty user, one with a colon, control characters, more than 4096 characters. */
export function basic(user: string, password: string): Credentials {
  const pair = `${readUser(user, 'credentials.user')}:${readPassword(password, 'credentials.password')}`;
  const value = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(pair)))}`;
  return { authorize: () => value };
}
