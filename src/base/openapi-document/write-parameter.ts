import { escapeUnits } from '../lib/text/printable.js';
import { isPlainObject } from '../lib/values.js';
import { delimiterOf, type ParameterStyle, refusal, type StyledParameter, takesShape } from './parameter-style.js';

/** Characters that a query may hold unencoded; the others, and `,` between items, would end a part of the query. */
const reserved = /%(?:2F|3A|3F|40|21|24|27|28|29|2A|3B|3D)/g;

/** The delimiter as it is written. */
const delimiterIn = (style: ParameterStyle): string => {
  const delimiter = delimiterOf(style);
  return typeof delimiter === 'string' ? delimiter : delimiter.source.slice(0, 3);
};

/** The text of a primitive value. */
function textOf(parameter: StyledParameter, value: unknown): string {
  if (value === null) return '';
  const plain = value instanceof Date ? value.toJSON() : value;
  if (/^(?:string|boolean|bigint)$/.test(typeof plain) || Number.isFinite(plain)) return String(plain);
  throw refusal(parameter, 'expected a string, finite number, bigint, boolean, valid Date or null');
}

/** Encodes a text for the place of a parameter. A part stands between delimiters, and a name before `=`. */
function encode(parameter: StyledParameter, text: string, isPart: boolean, isName = false): string {
  const { in: place, style } = parameter;
  const delimiter = delimiterIn(style);
  const plain = place === 'header' ? text : encodeURIComponent(text);
  const encoded = isPart && delimiter === '.' ? plain.replaceAll('.', '%2E') : plain;
  // Delimiters other than a comma, and all delimiters of a header, have no encoded form.
  const isSplit = (place === 'header' || delimiter !== ',') && encoded.includes(delimiter);
  if (isPart && (isSplit || (place === 'header' && text.trim() !== text))) {
    throw refusal(parameter, 'expected items without the delimiter of its style, or spaces around them');
  }
  return style.startsWith('+') && !isName ? encoded.replace(reserved, decodeURIComponent) : encoded;
}

/** A value as JSON; in a header in ASCII. */
function jsonOf(parameter: StyledParameter, value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) throw refusal(parameter, 'expected a value that JSON can hold');
  return parameter.in === 'header' ? json.replace(/[^\x20-\x7e]/g, escapeUnits) : encodeURIComponent(json);
}

/** The encoded items of a list, whose names are empty, or the fields of an object; or the text of one value. */
function partsOf(parameter: StyledParameter, value: unknown): string | readonly (readonly [string, string])[] {
  if (parameter.style === 'json') return jsonOf(parameter, value);
  const isList = Array.isArray(value);
  const shape = isList ? 'list' : isPlainObject(value) ? 'object' : 'value';
  if (!takesShape(parameter, shape)) throw refusal(parameter, `its style has no form for ${shape}s`);
  if (shape === 'value') return encode(parameter, textOf(parameter, value), false);
  // The cast: lists and plain objects have entries.
  const fields = Object.entries(value as object).filter(([, item]) => item !== undefined);
  if (parameter.in === 'header' && fields.some(([name]) => name.includes('='))) {
    throw refusal(parameter, 'expected names without an equals sign');
  }
  return fields.map(([name, item]) => [
    isList ? '' : encode(parameter, name, true, true),
    encode(parameter, textOf(parameter, item), true),
  ]);
}

/**
 * Writes a parameter as the specification's table has it: a segment of a path, pairs of a query or a cookie, or the
 * value of a header. Empty if there is nothing to write.
 * @throws InvalidArgumentError naming place and parameter, for a value that its style cannot hold.
 */
export function writeParameter(parameter: StyledParameter, value: unknown): string {
  const { in: place, style } = parameter;
  const parts = value === undefined ? [] : partsOf(parameter, value);
  if (typeof parts === 'object' && parts.length === 0) return '';
  const isList = Array.isArray(value);
  const name = encodeURIComponent(parameter.name);
  const flat =
    typeof parts === 'string'
      ? parts
      : parts.flatMap(([key, text]) => (isList ? [text] : [key, text])).join(delimiterIn(style));
  const exploded = style.endsWith('*') && typeof parts === 'object' ? parts : undefined;
  if (place === 'header' || (/^(?:label|simple|json)/.test(style) && place === 'path')) {
    const items = exploded?.map(([key, text]) => (isList ? text : `${key}=${text}`));
    return (style.startsWith('label') ? '.' : '') + (items?.join(delimiterIn(style)) ?? flat);
  }
  const nameOf = (key: string) => (isList ? name : style.includes('deep') ? `${name}%5B${key}%5D` : key);
  const pairs = exploded?.map(([key, text]) => [nameOf(key), text] as const) ?? [[name, flat] as const];
  if (place === 'path') return pairs.map(([key, text]) => `;${key}${text && '='}${text}`).join('');
  return pairs.map(([key, text]) => `${key}=${text}`).join(place === 'query' ? '&' : '; ');
}
