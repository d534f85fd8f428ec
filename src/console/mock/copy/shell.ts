import { redacted } from '../../../base/secrets/redact.js';

/** Text as one word for a POSIX shell. Nothing in it is expanded. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('=') ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Text as one word for a POSIX shell, with the variable `TOKEN` in place of redacted secrets. */
export function shellWordWithToken(text: string): string {
  if (!text.includes(redacted)) return shellWord(text);
  return text
    .split(redacted)
    .map((part) => (part === '' ? '' : shellWord(part)))
    .join('"$TOKEN"');
}
