/** Control and format characters (direction, joining) and line separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Makes foreign text safe for a message or a terminal: characters that move the cursor, or hide or reverse text,
 * become U+FFFD.
 */
export const printable = (text: string): string => text.replace(unprintable, '\ufffd');

/** The JSON escapes of a character. */
export const escapeUnits = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/** Writes such characters, except line feeds, as JSON escapes: a parser of JSON or YAML reads the same values. */
export const escapeUnprintable = (lines: string): string =>
  lines.replace(unprintable, (char) => (char === '\n' ? char : escapeUnits(char)));
