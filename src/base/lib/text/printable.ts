/** Control and format characters (direction, joining) and line separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Makes foreign text safe for a message or a terminal: characters that move the cursor, or hide or reverse text,
 * become U+FFFD.
 */
export const printable = (text: string): string => text.replace(unprintable, '\ufffd');
