/** How much of a text is searched. Nothing behind it is ever shown. */
const searchedLength = 4_096;
const shownLength = 500;
// A password like "root" is also a word: it only counts between quotes.
const shortest = 8;
const part = 16;

const secretHeader = /auth|cookie|token|secret|passw|key/i;
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
const formsOf = (secret: string): string[] =>
  secret.length < shortest
    ? ['"', "'", '`'].map((quote) => quote + unify(secret) + quote)
    : [unify(secret), ...base64Forms(secret)];

/** Every run of 16 characters: one of a token tells it from others, and of a secret that is cut off no more is seen. */
const partsOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - part + 1) }, (_, at) => text.slice(at, at + part));

/** Whether a text quotes a secret, given by its forms, in whatever of the usual escapes. Takes linear time. */
function quotes(text: string, forms: readonly string[]): boolean {
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

/** The secrets in the headers of a call: credentials, cookies and keys, those of `Basic` in clear as well. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]): string[] => {
    if (!secretHeader.test(name)) return [];
    const [, scheme = '', rest = value] = /^(\w+) +(.*)$/s.exec(value) ?? [];
    const found = [rest];
    if (scheme.toLowerCase() === 'basic') {
      try {
        const pair = utf8.decode(Uint8Array.from(atob(rest), (char) => char.charCodeAt(0)));
        found.push(pair.slice(pair.indexOf(':') + 1));
      } catch {
        // What is not base64 holds no password.
      }
    }
    return found;
  });
}

/** Makes a text of a server fit for an open field of an error; empty where it must not be shown. */
export type ShowText = (text: string) => string;

/**
 * Makes the filter of one failed call. A text that quotes one of the secrets is left out whole. Where the answer
 * itself may hold a secret (`confidential`), runs of 16 and more characters that tokens are made of are left out, too.
 * Control and bidirectional characters become spaces.
 */
export function secretFilter(secrets: readonly string[], confidential: boolean): ShowText {
  const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf);
  return (text) => {
    const searched = text.slice(0, searchedLength);
    if (quotes(searched, forms)) return '';
    const line = searched.slice(0, 2 * shownLength).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ');
    return (confidential ? line.replace(/[\w.~+/%=-]{16,}/g, '…') : line).slice(0, shownLength).trim();
  };
}
