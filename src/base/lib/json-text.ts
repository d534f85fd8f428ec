/** The JSON escapes of a character. */
const escapeUnits = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/** Formats a value as JSON. Characters that a terminal would interpret are escaped, not removed. */
export const jsonText = (value: unknown, indent?: string): string =>
  JSON.stringify(value, undefined, indent).replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, escapeUnits);
