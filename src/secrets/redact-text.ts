import { isSecretTextName } from './names.js';

// Finds secrets in text of any format. Every pattern here takes linear time, for any input.

/** The replacement for a secret. */
export const redacted = '<redacted>';

const base64 = /^[a-z\d+/]+={0,2}$/i;
const opaque = /^[\w-]{32,}={0,2}$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const traceparent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const maybeSecret = /[=<@]|bearer|basic|eyJ/i;

const isOpaqueWord = (word: string): boolean =>
  opaque.test(word) && /\d/.test(word) && /[a-z]/i.test(word) && !uuid.test(word) && !traceparent.test(word);

/** True if a word looks like a key: long enough, base64url or hex, with digits and letters; not a UUID or trace id. */
export const isOpaque = (value: string): boolean => value.split(/[\s,]+/).some(isOpaqueWord);

/** Decodes percent-encoding; returns text with invalid encoding unchanged. */
export function decodePercent(text: string): string {
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
  // Invalid input is not passed to atob: an exception costs more than all the rest.
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
