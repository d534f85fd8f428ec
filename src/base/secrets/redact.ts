import { isSecretName, isSecretTextName } from './names.js';
import { isOpaqueWord } from './token-form.js';

// Redacts credentials, passwords and tokens for the request log. Every pattern in this file takes linear time for any
// input.

/** The replacement for a secret. */
export const redacted = '<redacted>';

const base64 = /^[a-z\d+/]+={0,2}$/i;
const traceparent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const maybeSecret = /[=<@]|bearer|basic|eyJ/i;

/** True if a value has a word that looks like a key, and not like a trace id. */
const isOpaque = (value: string): boolean =>
  value.split(/[\s,]+/).some((word) => isOpaqueWord(word) && !traceparent.test(word));

/** Decodes percent-encoding; returns text with invalid encoding unchanged. */
function decodePercent(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Redacts the values of secret names: `password=pw`; with `colons` also `password: pw` and `"password": "pw"`. */
function redactPairs(text: string, colons: boolean): string {
  const separator = colons ? /[\\"'\]]*\s{0,8}[=:]\s{0,8}/y : /[\\"'\]]*\s{0,8}=\s{0,8}/y;
  const value = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^&\r\n]*/sy;
  let shown = '';
  let from = 0;
  for (const { 0: name, index } of text.matchAll(/[\w%.+$[-]+/g)) {
    separator.lastIndex = index + name.length;
    if (index < from || !separator.test(text) || !isSecretTextName(decodePercent(name))) continue;
    value.lastIndex = separator.lastIndex;
    value.test(text);
    shown += text.slice(from, separator.lastIndex) + redacted;
    from = value.lastIndex;
  }
  return shown + text.slice(from);
}

/** Redacts the content of elements with secret names: `<password>pw</password>`. */
function redactElements(text: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: tag, 1: name = '', index } of text.matchAll(/<([\w:.-]+)(?:\s[^<>]*)?>/g)) {
    if (index < from || tag.endsWith('/>') || !isSecretTextName(name)) continue;
    const content = index + tag.length;
    const end = text.indexOf(`</${name}`, content);
    shown += text.slice(from, content) + redacted;
    from = end < 0 ? text.length : end;
  }
  return shown + text.slice(from);
}

/** Redacts the parts of a multipart body that have secret names. */
function redactParts(text: string): string {
  let part: 'open' | 'secret' | 'hidden' = 'open';
  const shown: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('--')) part = 'open';
    const name = /^content-disposition:.*?\bname\*?=\s*"?([^";\r]*)/i.exec(line)?.[1];
    if (name !== undefined && isSecretTextName(decodePercent(name))) part = 'secret';
    if (part !== 'hidden') shown.push(line);
    if (part === 'secret' && line.trim() === '') {
      part = 'hidden';
      shown.push(`${redacted}\r`);
    }
  }
  return shown.join('\n');
}

/** True for an encoded user and password, as in basic credentials. */
function isBasic(credentials: string): boolean {
  const text = decodePercent(credentials);
  if (!base64.test(text)) return false;
  const digits = text.replaceAll('=', '');
  // Invalid base64 is not passed to atob, because throwing would cost more than everything else.
  return digits.length % 4 !== 1 && atob(digits).includes(':');
}

/** Redacts values after `Bearer` and `Basic`, and user and password in URLs. */
function redactCredentials(text: string): string {
  const schemes = text.replace(/\b(bearer|basic)(\s{1,8}|%20|\+)([\w.~+/=%-]+)/gi, (all, scheme, space, credentials) =>
    scheme.toLowerCase() === 'bearer' || isBasic(credentials) ? `${scheme}${space}${redacted}` : all,
  );
  return schemes.includes('@') ? schemes.replace(/\/\/[^\s/?#@]+@/g, `//${redacted}@`) : schemes;
}

/** Redacts anything that looks like a JWT, with plain or encoded dots. */
function redactTokens(text: string): string {
  if (!text.includes('eyJ')) return text;
  return text.replace(/[\w.%-]+/g, (run) => {
    const at = run.indexOf('eyJ');
    return at >= 0 && run.slice(at).split(/\.|%2e/i, 3).length === 3 ? run.slice(0, at) + redacted : run;
  });
}

/** Redacts likely secrets in a path, a header or a JSON string. */
export function redactText(text: string): string {
  if (!maybeSecret.test(text)) return text;
  const pairs = text.includes('=') ? redactPairs(text, false) : text;
  return redactTokens(redactCredentials(pairs.includes('<') ? redactElements(pairs) : pairs));
}

/** Redacts likely secrets in a text body: multipart, XML, forms, and lines of names and values. */
export function redactTextBody(text: string): string {
  const parts = /^content-disposition:/im.test(text) ? redactParts(text) : text;
  return redactTokens(redactCredentials(redactPairs(redactElements(parts), true)));
}

/** True if a text holds a key or a token, or the beginning of one. */
export const looksSecret = (text: string): boolean =>
  /eyJ[\w-]{4}/.test(text) || text.split(/[^\w-]/).some(isOpaque) || redactText(text) !== text;

const longBody = 16_384;
const deepest = 32;

/** True if a body is too long for the log, which then shows only its size. */
export function isLongBody(length: number): boolean {
  return length > longBody;
}

/** Redacts a query: values of secret parameters, and values that contain secrets themselves. */
export function redactQuery(query: string): string {
  if (query === '') return query;
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const name = at < 0 ? '' : pair.slice(0, at);
    const value = decodePercent(pair.slice(at + 1));
    const secret = at >= 0 && isSecretTextName(decodePercent(name));
    // A value may be JSON, which is redacted by its own names.
    const shown = (/^\s*[[{]/.test(value) ? redactTextBody : redactText)(value);
    if (secret || isOpaque(value) || shown !== value) return at < 0 ? redacted : `${name}=${redacted}`;
    return pair;
  });
  return pairs.join('&');
}

/** Redacts the values of headers with secret names. */
export function redactHeaders(headers: { entries(): Iterable<[string, string]> }): Record<string, string> {
  const list: [string, string][] = [];
  for (const [name, value] of headers.entries()) {
    list.push([name, isSecretTextName(name) || isOpaque(value) ? redacted : redactText(value)]);
  }
  return Object.fromEntries(list);
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
  return Object.fromEntries(entries.map(([key, item]) => [key, redactValue(item, secret ? name : key, depth + 1)]));
}

/** A received body. `text` throws if the bytes are not valid UTF-8. */
interface BodyToShow {
  readonly length: number;
  readonly text: string;
}

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
