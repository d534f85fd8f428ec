import { secretHeader } from './names.js';

/** Collects the secrets in a call's headers: credentials, cookies and keys; for `Basic` also the decoded ones. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]): string[] => {
    if (!secretHeader.test(name)) return [];
    const rest = value.replace(/^\w+ +/, '');
    // Each cookie or parameter by itself, too.
    const found = [rest, ...Array.from(rest.matchAll(/="?([^\s=;,"]+)/g), ([, one = '']) => one)];
    if (/^basic /i.test(value)) {
      try {
        const pair = new TextDecoder().decode(Uint8Array.from(atob(rest), (char) => char.charCodeAt(0)));
        found.push(pair.slice(pair.indexOf(':') + 1));
      } catch {
        // Invalid base64 contains no password.
      }
    }
    return found;
  });
}
