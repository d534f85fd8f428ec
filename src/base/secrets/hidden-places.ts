import { isCredentialHeader, isSecretTextName } from './names.js';
import { redacted, redactText, redactTextBody } from './redact.js';

/** A part of a text, by its offsets. */
export type Place = readonly [from: number, to: number];

/** The offsets of fixed texts in a text, one after the other from the left; undefined if they do not fit. */
function offsetsOf(fixed: readonly string[], text: string): number[] | undefined {
  let at = 0;
  const found: number[] = [];
  for (const [index, one] of fixed.entries()) {
    const next = index === 0 ? 0 : index === fixed.length - 1 ? text.length - one.length : text.indexOf(one, at);
    if (next < at || !text.startsWith(one, next)) return undefined;
    found.push(next);
    at = next + one.length;
  }
  return found;
}

const mirrored = (text: string): string => Array.from({ length: text.length }, (_, i) => text.at(-1 - i)).join('');

/**
 * The places of a text that are hidden in what is shown of it. If they cannot be told for sure, because the shown text
 * fits in two ways, the whole text is one place.
 */
function placesOf(text: string, shown: string): Place[] {
  if (shown === text) return [];
  const fixed = shown.split(redacted);
  const fromLeft = offsetsOf(fixed, text);
  const fromRight = offsetsOf(fixed.map(mirrored).reverse(), mirrored(text))?.reverse();
  const isSure = fromLeft?.every((at, index) => {
    const length = fixed[index]?.length ?? 0;
    return text.length - (fromRight?.[index] ?? -1) - length === at;
  });
  if (fromLeft === undefined || isSure !== true) return [[0, text.length]];
  return fromLeft.slice(1).flatMap((end, index): Place[] => {
    const from = (fromLeft[index] ?? 0) + (fixed[index]?.length ?? 0);
    return from < end ? [[from, end]] : [];
  });
}

/** The places of likely secrets in a path, a header or a string of JSON. */
export const hiddenInText = (text: string): Place[] => placesOf(text, redactText(text));

/** The places of likely secrets in a body: XML, forms, and lines of names and values. */
export const hiddenInBody = (text: string): Place[] => placesOf(text, redactTextBody(text));

/** The value behind the first `=`, without quotes. */
const valueBehind = (pair: string): string =>
  pair
    .slice(pair.indexOf('=') + 1)
    .replaceAll('"', '')
    .trim();

/** The secrets in a header that identifies the sender, or has a secret name: credentials, cookies and keys. */
export function secretsInHeader(name: string, value: string): string[] {
  if (name === 'set-cookie') return [valueBehind(value.split(';', 1)[0] ?? '')];
  if (!isCredentialHeader(name) && !isSecretTextName(name)) return [];
  const rest = value.replace(/^\w+ +/, '');
  const found = [value, rest, ...rest.split(/[;,]/).map(valueBehind)];
  if (/^basic /i.test(value)) {
    const pair = Buffer.from(rest, 'base64').toString();
    found.push(pair.slice(pair.indexOf(':') + 1));
  }
  return found;
}

/** The offset of a cookie's value in the header that sets it, and that of its end. */
export function cookiePlace(value: string): Place {
  const from = value.indexOf('=') + 1;
  const end = value.indexOf(';', from);
  return [from, end < 0 ? value.length : end];
}
