import { secretHeader } from './names.js';

/** The secrets in the headers of a call: credentials, cookies and keys, those of `Basic` in clear as well. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]): string[] => {
    if (!secretHeader.test(name)) return [];
    const rest = value.replace(/^\w+ +/, '');
    // A cookie or a parameter by itself as well.
    const found = [rest, ...(rest.match(/(?<=="?)[^\s=;,"]+/g) ?? [])];
    if (/^basic /i.test(value)) {
      try {
        const pair = new TextDecoder().decode(Uint8Array.from(atob(rest), (char) => char.charCodeAt(0)));
        found.push(pair.slice(pair.indexOf(':') + 1));
      } catch {
        // What is not base64 holds no password.
      }
    }
    return found;
  });
}
