import type { Shape, StyledParameter } from './parameter-style.js';
import { decodeAt, pairOf, readPairs, readTexts, type SentParameter } from './read-texts.js';

/** The texts of a parameter by its shape. */
export type SentValue = string | readonly string[] | Readonly<Record<string, string>>;

/**
 * Reads a parameter, the inverse of `writeParameter`: its text, its items or its fields, decoded. An exploded object in
 * pairs (`a=1&b=2`, `p[a]=1`) has its fields as names of pairs; any other parameter is split into texts first, and an
 * object is read from texts like `a=1`, or from names and values in turns.
 * @param others the names that are not fields of an exploded object, because other parameters have them
 * @returns undefined if it was not sent, or not in its style.
 */
export function readParameter(
  parameter: StyledParameter,
  shape: Shape,
  whole: SentParameter,
  others: ReadonlySet<string> = new Set(),
): SentValue | undefined {
  const { name, style } = parameter;
  const plain = (text: string) => decodeAt(parameter, text);
  let sent = whole;
  if (style.startsWith('matrix') && typeof whole === 'string') {
    if (!whole.startsWith(';')) return undefined;
    sent = readPairs(whole.slice(1), ';');
  }
  const isExploded = style.endsWith('*');
  if (shape === 'object' && isExploded && typeof sent === 'object') {
    const [open, close] = style.includes('deep') ? [`${name}[`, ']'] : ['', ''];
    const own = (sent ?? []).filter(([key]) => (open ? key.startsWith(open) && key.endsWith(close) : !others.has(key)));
    const fields = own.map(([key, text]) => [key.slice(open.length, key.length - close.length), plain(text)] as const);
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
  const texts = readTexts(parameter, shape !== 'value', sent);
  if (shape !== 'object') return shape === 'list' ? texts?.map(plain) : texts?.map(plain)[0];
  if (texts === undefined || (!isExploded && texts.length % 2)) return undefined;
  const fields = isExploded
    ? texts.map(pairOf)
    : texts.flatMap((key, index) => (index % 2 ? [] : [[key, texts[index + 1] ?? ''] as const]));
  return Object.fromEntries(fields.map((field) => field.map(plain)));
}
