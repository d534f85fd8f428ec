import { hasMethod } from '../lib/values.js';

const longestBody = 65_536;

/** The values of a query or a form; of a pair without one, the name. */
const valuesOf = (pairs: Iterable<[string, unknown]>) => Array.from(pairs, ([name, value]) => value || name);

/**
 * The values in the query and the body of a call: of a form and of JSON each, of other text the whole as well; null
 * for text that is too long to look for. Of bytes and streams nothing is known.
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
