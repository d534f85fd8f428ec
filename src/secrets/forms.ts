// A password like "root" is also a word: it only counts between quotes.
export const shortest = 8;
const part = 16;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
// Each alternative has a fixed or bounded length, so that a search takes linear time.
const escapes =
  /(?:(?:%|\\x)[\da-f]{2})+|&#(?:x([\da-f]{1,6})|(\d{1,7}));?|[\\%]u([\da-f]{4})|&([a-z]{2,8});|\\(["'\\/bfnrt])/gi;
const ascii = /^[\0-\x7f]*$/;
const utf8 = /* @__PURE__ */ new TextDecoder();

/** Text with its percent, HTML, JSON and `\x` escapes undone, one layer of them. */
const decode = (text: string): string =>
  text.replace(escapes, (found, hex?: string, decimal?: string, unit?: string, entity?: string, char?: string) => {
    if (hex ?? decimal ?? unit) return String.fromCodePoint(Number(decimal ?? `0x${hex ?? unit}`) % 0x110000);
    // The other entities stand for characters outside ASCII.
    if (entity) return entities[entity.toLowerCase()] ?? '?';
    if (char) return /\w/.test(char) ? ' ' : char;
    return utf8.decode(Uint8Array.from(found.split(/%|\\x/i).slice(1), (byte) => Number(`0x${byte}`)));
  });

/**
 * One `-` for white space and for what is shown as such or stands for it in forms; one alphabet of base64; one
 * composition of each character.
 */
const squeeze = (text: string): string =>
  (ascii.test(text) ? text : text.normalize('NFKC'))
    .replace(/[\0- \x7f\p{Cf}\s+-]+/gu, '-')
    .replaceAll('/', '_')
    .replaceAll('\ufffd', '?');

/** One `?` for each run of characters outside ASCII, whether they were replaced by characters, units or bytes. */
const blur = (text: string): string => text.replace(/[^!->@-~]+/g, '?');

/** One case for all: `ß` is `SS`, too. */
const fold = (text: string): string => text.toLowerCase().toUpperCase();

/** The bytes of UTF-8 as Latin-1, which is how fetch reads status texts and headers. */
const asLatin1 = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

/** The base64 texts of a text, wherever it begins in what was encoded. */
export function encodedFormsOf(text: string): string[] {
  if (text.length < shortest) return [];
  const binary = asLatin1(text);
  // The first characters hold bits of what stands in front, the last ones bits of what follows, or are padding.
  return [0, 1, 2].map((offset) => fold(squeeze(btoa('\0'.repeat(offset) + binary).slice(offset && offset + 1, -3))));
}

/** The texts that stand for a text in another one that is not encoded. */
export function formsOf(text: string): string[] {
  const plain = squeeze(text);
  if (text.length < shortest) return [...'"\'`'].map((quote) => fold(quote + plain + quote));
  if (ascii.test(text)) return [fold(plain)];
  const blurred = blur(plain);
  // Of one ASCII character, or none, the rest would stand in many a text by chance.
  const lossy = /\w.*\w/.test(blurred) ? blurred : plain.replace(/[^ -~]/gu, '?');
  return [plain, lossy, squeeze(asLatin1(text))].map(fold);
}

/** Every run of 16 characters: one of a token tells it from others, and of a secret that is cut off no more is seen. */
const partsOf = (text: string): string[] =>
  Array.from({ length: text.length - part + 1 }, (_, at) => text.slice(at, at + part));

/**
 * True if a text quotes another one, given by its forms, in any of the usual escapes: JSON inside JSON inside a URL is
 * three layers below the text itself. Takes linear time.
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
        // The shorter of both is cut into parts.
        (parts.length < form.length
          ? parts.some((one) => form.includes(one))
          : partsOf(form).some((one) => known.has(one))),
    ) ||
    (layers > 0 && next !== text && quotes(next, forms, layers - 1))
  );
}
