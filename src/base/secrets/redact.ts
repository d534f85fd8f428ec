import { isSecretName, isSecretTextName } from './names.js';
import { isOpaqueWord } from './token-form.js';

// Finds credentials, passwords and tokens, for the request log, for reports and for recordings, which replace them
// differently. Every pattern in this file takes linear time for any input.

/** The replacement for a secret. */
export const redacted = '<redacted>';

const base64 = /^[a-z\d+/]+={0,2}$/i;
const traceparent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const maybeSecret = /[=<@]|bearer|basic|eyJ/i;

/** How secrets are replaced. */
export interface Hiding {
  readonly hide: (secret: string) => string;
  /** True if a string of this name is secret. */
  readonly isSecret: (name: string) => boolean;
}

const inLog: Hiding = { hide: () => redacted, isSecret: isSecretTextName };

/** True if a value has a word that looks like a key, and not like a trace id. */
export const isOpaque = (value: string): boolean =>
  value.split(/[\s,]+/).some((word) => isOpaqueWord(word) && !traceparent.test(word));

/** Decodes percent-encoding; returns text with invalid encoding unchanged. */
export function decodePercent(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Hides the spans that `spanOf` finds for the matches of a mark. */
function hideSpans(
  text: string,
  mark: RegExp,
  { hide }: Hiding,
  spanOf: (match: RegExpExecArray) => readonly [begin: number, end: number] | undefined,
): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(mark)) {
    const span = match.index >= from && spanOf(match);
    if (!span) continue;
    result += text.slice(from, span[0]) + hide(text.slice(...span));
    from = span[1];
  }
  return result + text.slice(from);
}

/** Redacts the values of secret names: `password=pw`; with `colons` also `password: pw` and `"password": "pw"`. */
function redactPairs(text: string, colons: boolean, hiding: Hiding): string {
  const separator = colons ? /[\\"'\]]*\s{0,8}[=:]\s{0,8}/y : /[\\"'\]]*\s{0,8}=\s{0,8}/y;
  const value = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^&\r\n]*/sy;
  return hideSpans(text, /(?<!<)[\w%.+$[-]+/g, hiding, ({ 0: name, index }) => {
    separator.lastIndex = index + name.length;
    if (!separator.test(text) || !hiding.isSecret(decodePercent(name))) return undefined;
    value.lastIndex = separator.lastIndex;
    value.test(text);
    return [separator.lastIndex, value.lastIndex];
  });
}

const spanTo = (text: string, begin: number, mark: string): [number, number] => {
  const end = text.indexOf(mark, begin);
  return [begin, end < 0 ? text.length : end];
};

/** Redacts the content of elements with secret names; `<token:1>` is a reference of a recording. */
const redactElements = (text: string, hiding: Hiding): string =>
  hideSpans(text, /<(?!token:\d)([\w:.-]+)(?:\s[^<>]*)?>/g, hiding, ({ 0: tag, 1: name = '', index }) =>
    tag.endsWith('/>') || !hiding.isSecret(name) ? undefined : spanTo(text, index + tag.length, `</${name}`),
  );

/** Redacts the parts of a multipart body that have secret names. */
const redactParts = (text: string, hiding: Hiding): string =>
  hideSpans(text, /^content-disposition:(.*)/gim, hiding, ({ 1: fields = '', index }) => {
    const [, name = ''] = /\bname\*?=\s*"?([^";]*)/i.exec(fields) ?? [];
    // Also matches the end of the text: searching it for a missing blank line at each name would take quadratic time.
    const blank = /\n\r?\n|$/g;
    blank.lastIndex = index;
    return hiding.isSecret(decodePercent(name)) && blank.test(text)
      ? spanTo(text, blank.lastIndex, '\r\n--')
      : undefined;
  });

/** True for an encoded user and password, as in basic credentials. */
function isBasic(credentials: string): boolean {
  const text = decodePercent(credentials);
  if (!base64.test(text)) return false;
  const digits = text.replaceAll('=', '');
  // Invalid base64 is not passed to atob, because throwing would cost more than everything else.
  return digits.length % 4 !== 1 && atob(digits).includes(':');
}

/** Redacts values after `Bearer` and `Basic`, and user and password in URLs. */
function redactCredentials(text: string, { hide }: Hiding): string {
  return text
    .replace(/\b((?:bearer|basic)(?:\s{1,8}|%20|\+))([\w.~+/=%-]+)/gi, (all, before, secret) =>
      /^be/i.test(before) || isBasic(secret) ? before + hide(secret) : all,
    )
    .replace(/(?<=\/\/)[^\s/?#]+(?=@)/g, hide);
}

/** Redacts anything that looks like a JWT, with plain or encoded dots. */
function redactTokens(text: string, { hide }: Hiding): string {
  if (!text.includes('eyJ')) return text;
  return text.replace(/[\w.%-]+/g, (run) => {
    const at = run.indexOf('eyJ');
    return at >= 0 && run.slice(at).split(/\.|%2e/i, 3).length === 3 ? run.slice(0, at) + hide(run.slice(at)) : run;
  });
}

/** Redacts likely secrets in a path, a header or a JSON string. */
export function redactText(text: string, hiding: Hiding = inLog): string {
  if (!maybeSecret.test(text)) return text;
  const pairs = redactPairs(redactElements(text, hiding), false, hiding);
  return redactTokens(redactCredentials(pairs, hiding), hiding);
}

/** Redacts likely secrets in a text body: multipart, XML, forms, and lines of names and values. */
export function redactTextBody(text: string, hiding: Hiding = inLog): string {
  const pairs = redactPairs(redactElements(redactParts(text, hiding), hiding), true, hiding);
  return redactTokens(redactCredentials(pairs, hiding), hiding);
}

/** True if a text holds a key or a token, or the beginning of one. */
export const looksSecret = (text: string): boolean =>
  /eyJ[\w-]{4}/.test(text) || text.split(/[^\w-]/).some(isOpaque) || redactText(text) !== text;

const longBody = 16_384;
const deepest = 32;

/** True if a body is too long for the log, which then shows only its size. */
export const isLongBody = (length: number): boolean => length > longBody;

/** Redacts a query: values of secret parameters, and values that contain secrets themselves. */
export function redactQuery(query: string): string {
  if (query === '') return query;
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const name = at < 0 ? '' : pair.slice(0, at);
    const value = decodePercent(pair.slice(at + 1));
    const secret = at >= 0 && isSecretTextName(decodePercent(name));
    // A value may be JSON, which is redacted by its own names.
    const result = (/^\s*[[{]/.test(value) ? redactTextBody : redactText)(value);
    if (secret || isOpaque(value) || result !== value) return at < 0 ? redacted : `${name}=${redacted}`;
    return pair;
  });
  return pairs.join('&');
}

/** Redacts the values of headers with secret names. */
export function redactHeaders(headers: { entries(): Iterable<[string, string]> }): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers.entries(), ([name, value]) => [
      name,
      isSecretTextName(name) || isOpaque(value) ? redacted : redactText(value),
    ]),
  );
}

/** Redacts a string inside a JSON value. If the string itself is JSON, it is redacted as JSON. */
function redactString(text: string, depth: number): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(redactValue(JSON.parse(text), '', depth + 1));
    } catch {
      // Not valid JSON after all.
    }
  }
  return redactText(text);
}

/** Copies a JSON value without its secrets. Everything below a secret name is secret, too. */
export function redactValue(value: unknown, name = '', depth = 0): unknown {
  const secret = isSecretName(name);
  if (typeof value === 'string') return isSecretTextName(name) ? redacted : redactString(value, depth);
  if (typeof value !== 'object' || value === null) return secret && value !== null ? redacted : value;
  if (depth >= deepest) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, name, depth + 1));
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [redactText(key), redactValue(item, secret ? name : key, depth + 1)]),
  );
}

/** A received body. `text` throws if the bytes are not valid UTF-8. */
type BodyToShow = { readonly length: number; readonly text: string };

/** Redacts the body of a request, as JSON or text; returns only the size of a long or binary one. */
export function redactBody(body: BodyToShow): unknown {
  const { length } = body;
  if (length === 0) return undefined;
  if (isLongBody(length)) return `[${length} bytes]`;
  try {
    const { text } = body;
    try {
      // Parsed again, because a custom route may have modified the parsed value.
      return redactValue(JSON.parse(text));
    } catch {
      return redactTextBody(text);
    }
  } catch {
    return `[${length} bytes]`;
  }
}
