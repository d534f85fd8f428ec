import { secretsOf } from './sent.js';

// Keeps secrets and sent values out of the texts of errors.

const url = /https?:\/\/[^\s"'<>]+/gi;

/** Removes credentials, query and fragment from URLs. */
export const cutUrls = (text: string): string =>
  text.replace(url, (match) => {
    const { origin, pathname } = URL.canParse(match) ? new URL(match) : { origin: 'http:', pathname: '' };
    return origin + pathname;
  });

// Shorter strings appear in many messages by chance.
export const shortest: number = 8;
// The limit counts the items of lists, too.
const mostFields = 5_001;

/** Collects the values in a value and its field names, at any depth; undefined if there are too many. */
function partsIn(value: unknown): Set<unknown> | undefined {
  const parts = new Set([value]);
  let looked = 0;
  // Entries added during the loop are visited, too, once each.
  for (const next of parts) {
    if (Object(next) !== next) continue;
    for (const [name, below] of Object.entries(next as object)) {
      if (++looked > mostFields) return undefined;
      if (!Array.isArray(next)) parts.add(name);
      parts.add(below);
    }
  }
  return parts;
}

/**
 * True if a message quotes a text or a number of a value: one of eight or more characters, a text between quotes, or
 * the value itself if it is a number that stands by itself.
 */
export function quotesValue(message: string, value: unknown): boolean {
  const parts = partsIn(value);
  // Too large to search, so the message is dropped.
  if (parts === undefined) return true;
  // Libraries write numbers without quotes.
  if (typeof value === 'number' && message.split(/[^\w.+-]+|\.$/).includes(String(value))) return true;
  return [...parts].some((part) => /^(?:string|number|bigint)$/.test(typeof part) && holds(message, String(part)));
}

/** Searches for the plain text and for its JSON form; for a short one between quotes. */
const holds = (message: string, text: string): boolean =>
  [text, JSON.stringify(text).slice(1, -1)].some((form) =>
    text.length < shortest
      ? text !== '' && [...'"\'`'].some((quote) => message.includes(quote + form + quote))
      : message.includes(form),
  );

export const part: number = 16;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
// Each alternative has a bounded length, so that matching takes linear time.
const escapes =
  /(?:(?:%|\\x)[\da-f]{2})+|&#(?:x([\da-f]{1,6})|(\d{1,7}));?|[\\%]u([\da-f]{4})|&([a-z]{2,8});|\\(["'\\/bfnrt])/gi;
const ascii = /^[\0-\x7f]*$/;

/** Decodes one layer of percent, HTML, JSON and `\x` escapes. */
export const decode = (text: string): string =>
  text.replace(escapes, (match, ...groups: (string | undefined)[]) => {
    const [hex, decimal, unit, entity, char] = groups;
    if (hex ?? decimal ?? unit) return String.fromCodePoint(Number(decimal ?? `0x${hex ?? unit}`) % 0x110000);
    // All other entities stand for non-ASCII characters.
    if (entity) return entities[entity.toLowerCase()] ?? '?';
    if (char) return /\w/.test(char) ? ' ' : char;
    // The decoder is created on use, so that `requireEngine` can report an engine without TextDecoder.
    return new TextDecoder().decode(Uint8Array.from(match.split(/%|\\x/i).slice(1), (byte) => Number(`0x${byte}`)));
  });

/** Normalizes text for comparison: white space and its codes are `-`, base64 has one alphabet, characters are NFC. */
export const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\0- \x7f\p{Cf}\s+-]+/gu, '-')
    .replaceAll('/', '_')
    .replaceAll('\ufffd', '?');

/**
 * Replaces each run of `?`, white space and non-ASCII characters by one `?`: a server may have replaced such characters
 * by one `?` per character, code unit or byte.
 */
export const blur = (text: string): string => text.replace(/[^!->@-~]+/g, '?');

/** Folds case; `ß` equals `SS`. */
export const fold = (text: string): string => text.toLowerCase().toUpperCase();

/** Reads UTF-8 bytes as Latin-1, as fetch does for status texts and headers. */
const asLatin1 = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

/** The base64 encodings of a text, for each of its three alignments in longer data. */
export function encodedFormsOf(text: string): string[] {
  if (text.length < shortest) return [];
  const binary = asLatin1(text);
  // The first and the last characters also depend on the neighbouring data, or are padding.
  return [0, 1, 2].map((offset) => fold(squeeze(btoa('\0'.repeat(offset) + binary).slice(offset && offset + 1, -3))));
}

/** All encodings in which a text may appear. */
export function formsOf(text: string): string[] {
  const plain = squeeze(text);
  if (text.length < shortest) return [...'"\'`'].map((quote) => fold(quote + plain + quote));
  if (ascii.test(text)) return [fold(plain)];
  const blurred = blur(plain);
  // With at most one ASCII character, the blurred form would match many texts by chance.
  const lossy = /\w.*\w/.test(blurred) ? blurred : plain.replace(/[^ -~]/gu, '?');
  return [plain, lossy, squeeze(asLatin1(text))].map(fold);
}

/** All substrings of 16 characters: enough to identify a token, and to find a secret that was cut off. */
const partsOf = (text: string): string[] =>
  Array.from({ length: text.length - part + 1 }, (_, at) => text.slice(at, at + part));

/**
 * True if a text quotes another one, given by its forms, in any of the usual escapes. Undoes up to three nested
 * escapes, such as JSON inside JSON inside a URL. Takes linear time.
 */
function quotes(text: string, forms: readonly string[], layers = 3): boolean {
  const plain = squeeze(text);
  const blurred = blur(plain);
  const searched = fold(blurred === plain ? plain : `${plain}\n${blurred}`);
  const parts = partsOf(searched);
  const ownParts = new Set(parts);
  const next = decode(text);
  return (
    forms.some(
      (form) =>
        searched.includes(form) ||
        // For speed: the shorter text is split into parts, which are searched for in the longer one.
        (parts.length < form.length
          ? parts.some((part) => form.includes(part))
          : partsOf(form).some((part) => ownParts.has(part))),
    ) ||
    (layers > 0 && next !== text && quotes(next, forms, layers - 1))
  );
}

/** The number of characters that are searched. Text beyond them is never shown. */
const searchedLength = 4_096;
const shownLength = 500;
// The words of gRPC for a message beyond its limit. They hold no text of a caller.
const limitPassed = /message larger than max \(\d+ vs. \d+\)/;
// Matches words that may be base64: 8 characters take at least this many, escaped or not.
const maybeEncoded = /[^\s.,:;'"()]{10}/;

/** Removes secrets from a text for an enumerable field of an error; an empty text if it must not be shown. */
export type ShowText = (text: string) => string;

/**
 * Creates the filter for a failed call. A text is omitted entirely if it quotes a secret, the first 8 characters of a
 * secret, or one of the sent `values`. If the response itself may contain secrets (`confidential`), runs of 16 or more
 * token characters are removed, too. Control and bidirectional characters become spaces.
 * @param values null if there are too many to search for; then only the limit that a message has passed is shown.
 */
export function secretFilter(
  secrets: readonly string[],
  confidential: boolean,
  values: readonly string[] | null = [],
): ShowText {
  const starts = secrets.map((secret) => secret.trim().slice(0, shortest));
  const all = [...secrets, ...starts, ...(values ?? [])].filter(Boolean);
  const forms = all.flatMap(formsOf);
  let encoded: readonly string[];
  return (text) => {
    const searched = text.slice(0, searchedLength);
    if (values === null) return limitPassed.exec(searched)?.[0] ?? '';
    if (quotes(searched, forms)) return '';
    if (maybeEncoded.test(searched)) {
      encoded ??= all.flatMap(encodedFormsOf);
      if (quotes(searched, encoded)) return '';
    }
    const line = searched.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
    return (confidential ? line.replace(/[\w.~+/%=-]{16,}/g, '…') : line).slice(0, shownLength).trim();
  };
}

/**
 * Removes secrets from a server's message for the status of a stream. The message is omitted entirely if it quotes the
 * authorization header of the stream, or any other token.
 */
export function showMessage(message: string, authorization?: string): string {
  const show = secretFilter(secretsOf(authorization === undefined ? {} : { authorization }), false);
  return (message.includes('eyJ') ? '' : show(message)) || 'message omitted: it may hold a token';
}
