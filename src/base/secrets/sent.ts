import { decodeBase64 } from '../lib/text/base64.js';
import { hasMethod } from '../lib/values.js';
import { secretHeader } from './names.js';

/** Collects the secrets in a call's headers: credentials (those of `Basic` also decoded), cookies and keys. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]): string[] => {
    if (!secretHeader.test(name)) return [];
    const rest = value.replace(/^\w+ +/, '');
    // Each single cookie or parameter is a secret, too.
    const secrets = [rest, ...Array.from(rest.matchAll(/="?([^\s=;,"]+)/g), ([, parameter = '']) => parameter)];
    if (/^basic /i.test(value)) {
      try {
        const pair = decodeBase64(rest);
        secrets.push(pair.slice(pair.indexOf(':') + 1));
      } catch {
        // Invalid base64 contains no password.
      }
    }
    return secrets;
  });
}

const longestBody = 65_536;

/** The values of a query or form. A pair without a value contributes its name. */
const valuesOf = (pairs: Iterable<[string, unknown]>) => Array.from(pairs, ([name, value]) => value || name);

/**
 * Collects the values in the query and the body of a call: each value of a form or of JSON, and any other text as a
 * whole. Null if there is too much text to search for. Bytes and streams are not searched.
 */
export function sentValues(url: string, body?: unknown): string[] | null {
  const values: unknown[] = valuesOf(new URL(url).searchParams);
  if (hasMethod(body, 'getAll')) values.push(...valuesOf(body as FormData));
  if (typeof body === 'string') {
    if (body.length > longestBody) return null;
    try {
      JSON.parse(body, (_name, value) => {
        if (Object(value) !== value) values.push(value);
        return value;
      });
    } catch {
      values.push(body, ...valuesOf(new URLSearchParams(body)));
    }
  }
  return values.map(String);
}
