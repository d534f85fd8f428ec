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

/** Splits a text into pairs. */
export const readPairs = (text: string, separator: string): SentPairs =>
  text.split(separator).flatMap((pair) => {
    const [name = '', ...rest] = pair.trim().split('=');
    return pair === '' ? [] : [[decode(name, separator), rest.join('=')] as const];
  });

/** Decodes a text; in a query, a `+` is a space. */
const decode = (text: string, separator: string): string => {
  const plain = separator === '&' ? text.replaceAll('+', ' ') : text;
  return decodeText(plain) ?? plain;
};

const fieldsOf = (entries: readonly (readonly [string, string])[]) => Object.fromEntries(entries);

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
  const isBare = place === 'header' || (place === 'path' && !style.startsWith('matrix'));
  let texts: readonly string[];
  if (isBare) {
    const text = place === 'header' ? header : segment;
    const start = style.startsWith('label') ? '.' : '';
    if (typeof text !== 'string' || !text.startsWith(start)) return undefined;
    texts = [text.slice(start.length)];
  } else {
    if (place === 'path' && !segment?.startsWith(';')) return undefined;
    const sent = place === 'path' ? readPairs(segment?.slice(1) ?? '', ';') : pairs;
    if (isExploded && shape === 'object') {
      const isDeep = style.includes('deep');
      const fields = sent.flatMap(([key, text]) => {
        const field = !isDeep
          ? key
          : key.startsWith(`${name}[`) && key.endsWith(']')
            ? key.slice(name.length + 1, -1)
            : undefined;
        return field === undefined || (!isDeep && others.has(field)) ? [] : [[field, plain(text)] as const];
      });
      return fields.length === 0 ? undefined : fieldsOf(fields);
    }
    texts = sent.flatMap(([key, text]) => (key === name ? [text] : []));
    if (texts.length === 0) return undefined;
    if (isExploded) return texts.map(plain);
  }
  const [first = ''] = texts;
  if (shape === 'value') return plain(first);
  const parts = first.split(isExploded && style === 'label*' ? '.' : delimiterOf(style)[1]);
  if (shape === 'list') return parts.map(plain);
  if (isExploded)
    return fieldsOf(
      parts.map((part) => {
        const [key = '', ...rest] = part.split('=');
        return [plain(key), plain(rest.join('='))] as const;
      }),
    );
  return parts.length % 2
    ? undefined
    : fieldsOf(
        parts.flatMap((key, index) => (index % 2 ? [] : [[plain(key), plain(parts[index + 1] ?? '')] as const])),
      );
}
