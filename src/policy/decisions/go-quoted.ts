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

/** Reads a value as `strconv.Quote` of Go writes it, or bare; undefined for other escapes, or bytes not UTF-8. */
export function unquoteGo(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  let isKnown = true;
  const text = value.slice(1, -1).replace(escapes, (...[, letter, byte, short, long]: (string | undefined)[]) => {
    const code = Number.parseInt(byte ?? short ?? long ?? '', 16);
    const character = letter === undefined ? characterOf(code, byte === undefined ? 0x10ffff : 0x7f) : simple[letter];
    isKnown &&= character !== undefined;
    return character ?? '';
  });
  return isKnown ? text : undefined;
}

const letters: ReadonlyMap<string | undefined, string> = new Map(
  Object.entries(simple).map(([letter, character]) => [character, letter]),
);
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Writes a character as `strconv.Quote` does. */
function quoteCharacter(character: string): string {
  const letter = letters.get(character);
  if (letter !== undefined) return `\\${letter}`;
  if (printable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const [kind, digits] = code < 0x20 || code === 0x7f ? ['x', 2] : code > 0xffff ? ['U', 8] : ['u', 4];
  return `\\${kind}${code.toString(16).padStart(digits, '0')}`;
}

/** Quotes a text as Go's `strconv.Quote` does. Halves of a surrogate pair become U+FFFD. */
export const quoteGo = (text: string): string => `"${Array.from(text.toWellFormed(), quoteCharacter).join('')}"`;

/** The character of a code point up to `most`; undefined for NaN and for halves of a surrogate pair. */
const characterOf = (code: number, most: number): string | undefined =>
  code <= most && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined;
