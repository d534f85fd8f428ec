/** Decodes a text once; undefined if it is undecodable. */
export function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Encodes the characters that a path cannot hold, and no others, so that a text has one form in a path. */
export const encodeText = (text: string): string =>
  text.replace(/[^\w\-.~!$&'()*+,;=:@%]+|%(?![\dA-Fa-f]{2})/gu, encodeURIComponent);

/**
 * Drops differences that a router may ignore: of encoding, case and Unicode form. Each character is folded by itself,
 * so that the parts of a text stay parts of the result.
 */
export const fold = (text: string): string =>
  text
    .replace(/(?:%[\da-f]{2})+/gi, (escapes) => decodeText(escapes) ?? escapes)
    .replace(/./gsu, (char) => char.normalize('NFKD').toLowerCase().toUpperCase());

/** True for a decoded text that is one segment for every server: no slash, control character or dots to resolve. */
export const isOneSegment = (text: string): boolean => !/[/\p{Cc}]|(?:^|\\)\.{1,2}(?:$|[\\;])/u.test(text);
