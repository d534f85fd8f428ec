// A password like "root" is also a word: it only counts between quotes.
const shortest = 8;
const part = 16;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
// Each alternative has a fixed or bounded length, so that a search takes linear time.
const escapes =
  /(?:%[\da-f]{2})+|&#(?:x([\da-f]{1,6})|(\d{1,7}));?|&(amp|lt|gt|quot|apos);|\\u([\da-f]{4})|\\(["'\\/])/gi;
const utf8 = /* @__PURE__ */ new TextDecoder();

const fromCode = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** Text with its percent, HTML and JSON escapes undone, one layer of them. */
const decode = (text: string): string =>
  text.replace(escapes, (found, hex?: string, decimal?: string, entity?: string, unit?: string, char?: string) => {
    if (hex ?? decimal) return fromCode(Number(hex ? `0x${hex}` : decimal));
    if (entity) return entities[entity.toLowerCase()] ?? '';
    if (unit) return String.fromCharCode(Number.parseInt(unit, 16));
    if (char) return char;
    return utf8.decode(Uint8Array.from(found.slice(1).split('%'), (byte) => Number.parseInt(byte, 16)));
  });

/**
 * Forms write a space as `+`, and base64 has two alphabets: characters that may stand for one another become the same.
 */
const unify = (text: string): string => text.replace(/[ +]/g, '-').replaceAll('/', '_');

/** The base64 texts that stand for a text wherever it begins in what was encoded. */
function base64Forms(text: string): string[] {
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return [0, 1, 2].map((offset) => {
    const encoded = btoa('\0'.repeat(offset) + binary);
    // The first characters hold bits of what stands in front, the last one bits of what follows.
    return unify(encoded).slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + binary.length) * 8) / 6));
  });
}

/** What stands for a secret in a text. */
export const formsOf = (secret: string): string[] =>
  secret.length < shortest
    ? ['"', "'", '`'].map((quote) => quote + unify(secret) + quote)
    : [unify(secret), ...base64Forms(secret)];

/** Every run of 16 characters: one of a token tells it from others, and of a secret that is cut off no more is seen. */
const partsOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - part + 1) }, (_, at) => text.slice(at, at + part));

/** Whether a text quotes a secret, given by its forms, in whatever of the usual escapes. Takes linear time. */
export function quotes(text: string, forms: readonly string[]): boolean {
  // JSON inside JSON inside a URL: three layers below the text itself.
  for (let layer = text, depth = 0; ; depth++) {
    const searched = unify(layer);
    const parts = new Set(partsOf(searched));
    if (forms.some((form) => searched.includes(form) || partsOf(form).some((one) => parts.has(one)))) return true;
    const next = decode(layer);
    if (next === layer || depth === 3) return false;
    layer = next;
  }
}
