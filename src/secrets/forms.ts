// A password like "root" may also be a word, so short values match only between quotes.
export const shortest = 8;
const part = 16;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
// Each alternative has a bounded length, so that matching takes linear time.
const escapes =
  /(?:(?:%|\\x)[\da-f]{2})+|&#(?:x([\da-f]{1,6})|(\d{1,7}));?|[\\%]u([\da-f]{4})|&([a-z]{2,8});|\\(["'\\/bfnrt])/gi;
const ascii = /^[\0-\x7f]*$/;
const utf8 = /* @__PURE__ */ new TextDecoder();

/** Decodes one layer of percent, HTML, JSON and `\x` escapes. */
const decode = (text: string): string =>
  text.replace(escapes, (found, hex?: string, decimal?: string, unit?: string, entity?: string, char?: string) => {
    if (hex ?? decimal ?? unit) return String.fromCodePoint(Number(decimal ?? `0x${hex ?? unit}`) % 0x110000);
    // All other entities are non-ASCII characters.
    if (entity) return entities[entity.toLowerCase()] ?? '?';
    if (char) return /\w/.test(char) ? ' ' : char;
    return utf8.decode(Uint8Array.from(found.split(/%|\\x/i).slice(1), (byte) => Number(`0x${byte}`)));
  });

/**
 * Normalizes text for comparison: white space and its lookalikes and form encodings become `-`, base64 uses one
 * alphabet, and characters are composed.
 */
const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\0- \x7f\p{Cf}\s+-]+/gu, '-')
    .replaceAll('/', '_')
    .replaceAll('\ufffd', '?');

/**
 * Replaces each run of `?`, white space and non-ASCII characters by one `?`: a server may have replaced such characters
 * by one `?` per character, code unit or byte.
 */
const blur = (text: string): string => text.replace(/[^!->@-~]+/g, '?');

/** Folds case; `ß` equals `SS`. */
const fold = (text: string): string => text.toLowerCase().toUpperCase();

/** Reads UTF-8 bytes as Latin-1, as fetch does for status texts and headers. */
const asLatin1 = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

/** The base64 forms of a text, at each offset within the encoded data. */
export function encodedFormsOf(text: string): string[] {
  if (text.length < shortest) return [];
  const binary = asLatin1(text);
  // The first and last characters mix in bits of the neighbouring data, or are padding.
  return [0, 1, 2].map((offset) => fold(squeeze(btoa('\0'.repeat(offset) + binary).slice(offset && offset + 1, -3))));
}

/** The forms in which a text may appear in unencoded text. */
export function formsOf(text: string): string[] {
  const plain = squeeze(text);
  if (text.length < shortest) return [...'"\'`'].map((quote) => fold(quote + plain + quote));
  if (ascii.test(text)) return [fold(plain)];
  const blurred = blur(plain);
  // With at most one ASCII character, the form would match many texts by chance.
  const lossy = /\w.*\w/.test(blurred) ? blurred : plain.replace(/[^ -~]/gu, '?');
  return [plain, lossy, squeeze(asLatin1(text))].map(fold);
}

/** Every 16-character substring: enough to identify a token, and to find a secret that was cut off. */
const partsOf = (text: string): string[] =>
  Array.from({ length: text.length - part + 1 }, (_, at) => text.slice(at, at + part));

/**
 * True if a text quotes another one, given by its forms, in any of the usual escapes. Undoes up to three layers, such
 * as JSON inside JSON inside a URL. Takes linear time.
 */
export function quotes(text: string, forms: readonly string[], layers = 3): boolean {
  const plain = squeeze(text);
  const blurred = blur(plain);
  const searched = fold(blurred === plain ? plain : `${plain}\n${blurred}`);
  const parts = partsOf(searched);
  const known = new Set(parts);
  const next = decode(text);
  return (
    forms.some(
      (form) =>
        searched.includes(form) ||
        // Splits the shorter of the two into parts.
        (parts.length < form.length
          ? parts.some((one) => form.includes(one))
          : partsOf(form).some((one) => known.has(one))),
    ) ||
    (layers > 0 && next !== text && quotes(next, forms, layers - 1))
  );
}
