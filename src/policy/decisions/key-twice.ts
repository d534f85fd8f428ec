import { findTwice } from '../../base/lib/json-file.js';
import { isObject } from '../../base/lib/values.js';

const message = '"message":';

const countOf = (value: unknown): number => (isObject(value) ? Object.keys(value).length : 0);

/**
 * True if a key stands twice in an object of a line, of which `JSON.parse` keeps the last in silence. The platform's
 * two keys `message` do not count. For usual lines it is enough to count the keys, in the fields that have some.
 */
export function hasKeyTwice(text: string, line: Readonly<Record<string, unknown>>, isPlatform: boolean): boolean {
  let [inText, at] = [0, text.indexOf('":')];
  for (; at >= 0; at = text.indexOf('":', at + 2)) inText += 1;
  const isExtra = isPlatform && text.includes(message, text.indexOf(message) + 1);
  const { subject, because } = line;
  let known = countOf(line) + countOf(subject) + (isExtra ? 1 : 0);
  if (Array.isArray(because)) for (const reason of because) known += countOf(reason);
  if (inText === known && !text.includes('" :')) return false;
  return findTwice(text, isPlatform ? 'message' : undefined) !== undefined;
}
