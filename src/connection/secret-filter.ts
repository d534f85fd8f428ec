/** How much of a text is searched. Nothing behind it is ever shown. */
const searchedLength = 4_096;
const shownLength = 500;
// A password like "root" is also a word: it only counts between quotes.
const shortest = 8;
const gram = 16;

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

/** The base64 texts that stand for a text wherever it begins in what was encoded, in the alphabet of URLs. */
function base64Forms(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2].map((offset) => {
    let binary = '\0'.repeat(offset);
    for (const byte of bytes) binary += String.fromCharCode(byte);
    const whole = Math.floor((binary.length * 8) / 6);
    // The first characters hold bits of what stands in front, the last one bits of what follows.
    return toUrlAlphabet(btoa(binary)).slice(Math.ceil((offset * 8) / 6), whole);
  });
}

const toUrlAlphabet = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');
/** Forms write a space as `+`, so both count as the same. */
const joinSpaces = (text: string): string => text.replaceAll('+', ' ');

function grams(text: string): Set<string> {
  const all = new Set<string>();
  for (let i = 0; i + gram <= text.length; i++) all.add(text.slice(i, i + gram));
  return all;
}

function sharesGram(parts: ReadonlySet<string>, secret: string): boolean {
  for (let i = 0; i + gram <= secret.length; i++) if (parts.has(secret.slice(i, i + gram))) return true;
  return false;
}

/** Whether a text quotes a secret, in whatever of the usual escapes. Takes linear time. */
function quotes(text: string, secrets: readonly string[]): boolean {
  const layers = [text];
  // JSON inside JSON inside a URL: three layers.
  for (let i = 0, last = text; i < 3; i++) {
    const next = decode(last);
    if (next === last) break;
    layers.push(next);
    last = next;
  }
  return layers.some((layer) => {
    const plain = joinSpaces(layer);
    const url = toUrlAlphabet(layer);
    const [plainGrams, urlGrams] = [grams(plain), grams(url)];
    return secrets.some((secret) => {
      const sought = joinSpaces(secret);
      if (secret.length < shortest) return ['"', "'", '`'].some((quote) => plain.includes(quote + sought + quote));
      const forms = base64Forms(secret);
      if (plain.includes(sought) || forms.some((form) => url.includes(form))) return true;
      // A part of a token tells it from others, and of a secret that is cut off only a part can be seen.
      return sharesGram(plainGrams, sought) || forms.some((form) => sharesGram(urlGrams, form));
    });
  });
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
 * itself may hold a secret
 * (`confidential`), runs of 16 and more characters that tokens are made of are left out, too. Control and
 * bidirectional characters become spaces.
 */
export function secretFilter(secrets: readonly string[], confidential: boolean): ShowText {
  const sought = secrets.filter((secret) => secret !== '');
  return (text) => {
    const searched = text.slice(0, searchedLength);
    if (sought.length > 0 && quotes(searched, sought)) return '';
    const line = searched.slice(0, 2 * shownLength).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ');
    return (confidential ? line.replace(/[\w.~+/%=-]{16,}/g, '…') : line).slice(0, shownLength).trim();
  };
}
