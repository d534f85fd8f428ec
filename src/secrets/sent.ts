import { hasMethod } from '../lib/values.js';

const longestBody = 65_536;

/** The values in a query or a form; for a pair without a value, its name. */
const valuesOf = (pairs: Iterable<[string, unknown]>) => Array.from(pairs, ([name, value]) => value || name);

/**
 * Collects the values in the query and the body of a call: each value of a form or of JSON, and the whole of other
 * text. Null if the text is too long to search for. Bytes and streams are not searched.
 */
export function sentValues(url: string, body?: unknown): string[] | null {
  const found: unknown[] = valuesOf(new URL(url).searchParams);
  if (hasMethod(body, 'getAll')) found.push(...valuesOf(body as FormData));
  if (typeof body === 'string') {
    if (body.length > longestBody) return null;
    try {
      JSON.parse(body, (_name, value) => {
        if (Object(value) !== value) found.push(value);
        return value;
      });
    } catch {
      found.push(body, ...valuesOf(new URLSearchParams(body)));
    }
  }
  return found.map(String);
}
