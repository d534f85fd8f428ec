import { decodeText, fold } from './path-text.js';
import { decodeAt, readPairs, readTexts } from './read-texts.js';
import type { ResourceParameter } from './resource-parameter.js';

/** A path of a name in a query, in which frameworks nest values: `ids[]`, `ids[0]` and `ids.0` are in `ids`. */
const nested = (name: string) =>
  fold(name)
    .trim()
    .replace(/[[\].]+/g, '.')
    .replace(/\.?$/, '.');

/**
 * Reads the query of a request for one parameter; undefined if frameworks read it in different ways: a `;`, which some
 * take for an `&`, an undecodable text, a name that some take for that of the parameter, or a value that is there
 * twice.
 */
function pairsOf({ name, style, isList }: ResourceParameter, query: string) {
  if (/[;#]/.test(query) || decodeText(query) === undefined) return undefined;
  const pairs = readPairs(query, '&');
  const own = pairs.filter(([key]) => nested(key).startsWith(nested(name)));
  const isMany = isList && style.endsWith('*');
  return own.every(([key]) => key === name) && (isMany || own.length < 2) ? own : undefined;
}

/**
 * Reads the texts of a parameter in a request, one for each item of a list; none if they are not certain.
 * @param value as it was sent in the path, or as a framework has read it: a list, or a text, encoded again
 * @param query as it was sent, without its `?`
 */
export function resourceTexts(
  parameter: ResourceParameter,
  value: string | readonly string[] | undefined,
  query: string,
): readonly string[] {
  const { name, in: place, isList, style } = parameter;
  if (typeof value === 'object') return isList ? value : [];
  const sent = place === 'path' ? value : value === undefined ? pairsOf(parameter, query) : ([[name, value]] as const);
  const texts = (readTexts(parameter, isList, sent) ?? []).map((text) => decodeAt(parameter, text));
  // Some frameworks split items at commas, and some decode them before they split them.
  const split = style === 'label*' ? /[,.]/ : /,/;
  return isList && texts.some((text) => split.test(text)) ? [] : texts;
}
