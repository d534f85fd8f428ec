import { hasMethod } from '../lib/values.js';

const longestBody = 65_536;

/**
 * The values in the query and the body of a call: of a form and of JSON each, of other text the whole; null for
 * text that is too long to look for. Of bytes and streams nothing is known.
 */
export function sentValues(url: string, body: unknown): string[] | null {
  const found: unknown[] = [...new URL(url).searchParams.values()];
  if (hasMethod(body, 'getAll')) found.push(...(body as FormData).values());
  if (typeof body === 'string') {
    if (body.length > longestBody) return null;
    try {
      JSON.parse(body, (_name, value) => {
        if (Object(value) !== value) found.push(value);
        return value;
      });
    } catch {
      found.push(body);
    }
  }
  return found.map(String);
}
