import { delimiterOf, type StyledParameter } from './parameter-style.js';
import { decodeText } from './path-text.js';

/**
 * A parameter in a request, not decoded: the segment of the path or the header, or all pairs of the query or of the
 * cookies; undefined or null if there is none.
 */
export type SentParameter = string | SentPairs | null | undefined;

/** Pairs, with decoded names. */
export type SentPairs = readonly (readonly [name: string, text: string])[];

/** Splits a field of an object at its first equals sign. */
export const pairOf = (text: string): readonly [name: string, text: string] => {
  const [name = '', value = ''] = text.split(/=(.*)/s);
  return [name, value];
};

/** Splits a text into pairs. */
export const readPairs = (text: string, separator: string): SentPairs =>
  text.split(separator).flatMap((pair) => {
    const [name, value] = pairOf(pair.trim());
    return pair === '' ? [] : [[decode(name, separator === '&'), value] as const];
  });

/** Decodes a text; in a query, a `+` is a space. */
const decode = (text: string, isOfQuery: boolean): string => {
  const plain = isOfQuery ? text.replaceAll('+', ' ') : text;
  return decodeText(plain) ?? plain;
};

/** Decodes a text of a parameter. */
export const decodeAt = ({ in: place }: StyledParameter, text: string): string =>
  place === 'header' ? text.trim() : decode(text, place === 'query');

/**
 * Reads the texts of a parameter, not decoded: of a value one, else one for each item.
 * @returns undefined if it was not sent, or not in its style.
 */
export function readTexts(
  { name, style }: StyledParameter,
  isMany: boolean,
  sent: SentParameter,
): readonly string[] | undefined {
  let text: string | undefined;
  if (typeof sent === 'string') {
    const start = style.startsWith('label') ? '.' : '';
    if (sent.startsWith(start)) text = sent.slice(start.length);
  } else {
    const texts = (sent ?? []).flatMap(([key, value]) => (key === name ? [value] : []));
    if (isMany && style.endsWith('*') && texts.length > 0) return texts;
    [text] = texts;
  }
  return isMany ? text?.split(delimiterOf(style)) : text === undefined ? text : [text];
}
