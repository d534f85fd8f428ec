import { delimiterOf, type Shape, type StyledParameter } from './parameter-style.js';
import { decodeText } from './path-text.js';

/** A request, as far as parameters are read from it, with nothing decoded. */
export interface SentParameters {
  /** The segment of a path that a parameter is. */
  readonly segment: string | undefined;
  readonly header: string | null;
  /** The pairs of the query or of the cookies. */
  readonly pairs: SentPairs;
}

/** Pairs, with decoded names. */
export type SentPairs = readonly (readonly [name: string, text: string])[];

/** The texts of a parameter by its shape. */
export type SentValue = string | readonly string[] | Readonly<Record<string, string>>;

const pairOf = (text: string): readonly [name: string, text: string] => {
  const [name = '', ...rest] = text.split('=');
  return [name, rest.join('=')];
};

/** Splits a text into pairs. */
export const readPairs = (text: string, separator: string): SentPairs =>
  text.split(separator).flatMap((pair) => {
    const [name, value] = pairOf(pair.trim());
    return pair === '' ? [] : [[decode(name, separator), value] as const];
  });

/** Decodes a text; in a query, a `+` is a space. */
const decode = (text: string, separator: string): string => {
  const plain = separator === '&' ? text.replaceAll('+', ' ') : text;
  return decodeText(plain) ?? plain;
};

/**
 * Reads a parameter, the inverse of `writeParameter`: its text, its items or its fields, decoded.
 * @param others the names that are no fields of an exploded object, because other parameters have them
 * @returns undefined if it was not sent, or not in its style.
 */
export function readParameter(
  { name, in: place, style }: StyledParameter,
  shape: Shape,
  { segment, header, pairs }: SentParameters,
  others: ReadonlySet<string> = new Set(),
): SentValue | undefined {
  const isExploded = style.endsWith('*') && shape !== 'value';
  const plain = (text: string) => (place === 'header' ? text.trim() : decode(text, place === 'query' ? '&' : ''));
  let first: string | undefined;
  if (place === 'header' || (place === 'path' && !style.startsWith('matrix'))) {
    const text = place === 'header' ? header : segment;
    const start = style.startsWith('label') ? '.' : '';
    if (!text?.startsWith(start)) return undefined;
    first = text.slice(start.length);
  } else {
    if (place === 'path' && !segment?.startsWith(';')) return undefined;
    const sent = place === 'path' ? readPairs(segment?.slice(1) ?? '', ';') : pairs;
    if (isExploded && shape === 'object') {
      const start = style.includes('deep') ? `${name}[` : '';
      const own = start
        ? sent.filter(([key]) => key.startsWith(start) && key.endsWith(']'))
        : sent.filter(([key]) => !others.has(key));
      const fields = own.map(([key, text]) => [start ? key.slice(start.length, -1) : key, plain(text)] as const);
      return fields.length === 0 ? undefined : Object.fromEntries(fields);
    }
    const texts = sent.flatMap(([key, text]) => (key === name ? [text] : []));
    [first] = texts;
    if (first === undefined) return undefined;
    if (isExploded) return texts.map(plain);
  }
  if (shape === 'value') return plain(first);
  const parts = first.split(isExploded && style === 'label*' ? '.' : delimiterOf(style)[1]);
  if (shape === 'list') return parts.map(plain);
  if (!isExploded && parts.length % 2) return undefined;
  const fields = isExploded
    ? parts.map(pairOf)
    : parts.flatMap((key, index) => (index % 2 ? [] : [[key, parts[index + 1] ?? ''] as const]));
  return Object.fromEntries(fields.map((field) => field.map(plain)));
}
