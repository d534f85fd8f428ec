/** Control characters, those that change the direction or the joining of text, and line separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A text from outside for a message or a terminal: what would move the cursor, hide or turn text around becomes
 * U+FFFD.
 */
export const printable = (text: string): string => text.replace(unprintable, '\ufffd');
