const simple: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};
const escapes = /\\(?:([abfnrtv\\"])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|[\s\S])/g;

/**
 * Reads a value in the quotes of Go's `strconv.Quote`, or without quotes; undefined for an escape that it does not
 * write, and for `\x80` and above: bytes that are not UTF-8.
 */
export function unquoteGo(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  let isKnown = true;
  const text = value
    .slice(1, -1)
    .replace(escapes, (_, letter?: string, byte?: string, short?: string, long?: string) => {
      const code = Number.parseInt(byte ?? short ?? long ?? '', 16);
      const character = letter === undefined ? characterOf(code, byte === undefined ? 0x10ffff : 0x7f) : simple[letter];
      isKnown &&= character !== undefined;
      return character ?? '';
    });
  return isKnown ? text : undefined;
}

/** The character of a code point up to `most`; undefined for halves of a surrogate pair and what is no number. */
const characterOf = (code: number, most: number): string | undefined =>
  code <= most && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined;
