import { isSecretName, isSecretTextName } from './names.js';
import { isOpaqueWord } from './token-form.js';

// The one engine that finds likely secrets: for the request log, for the texts of reports and for recordings. Every
// pattern in this file takes linear time for any input.

/** The replacement for a secret. */
export const redacted = '<redacted>';

/** A part of a text, by its offsets, and what replaces it; without a replacement it is a secret. */
export type Place = readonly [from: number, to: number, shown?: string];

/** Finds parts of a text. */
export type Pass = (text: string) => Iterable<Place>;

const maybeSecret = /[=<@%]|bearer|basic|eyJ|-----BEGIN/i;
const base64 = /^[a-z\d+/]+={0,2}$/i;
const traceparent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const deepest = 32;

/** Decodes percent-encoding; returns text with invalid encoding unchanged. */
export function decodePercent(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The content of elements with secret names: `<password>pw</password>`. */
function* elements(text: string, isSecret: (name: string) => boolean): Generator<Place> {
  let at = 0;
  for (const { 0: tag, 1: name = '', index } of text.matchAll(/<([\w:.-]+)(?:\s[^<>]*)?>/g)) {
    if (index < at || tag.endsWith('/>') || !isSecret(name)) continue;
    const content = index + tag.length;
    const end = text.indexOf(`</${name}`, content);
    at = end < 0 ? text.length : end;
    yield [content, at];
  }
}

/** The parts of a multipart body that have secret names. */
function* parts(text: string, isSecret: (name: string) => boolean): Generator<Place> {
  for (const { 1: name = '', index } of text.matchAll(/^content-disposition:.*?\bname\*?=\s*"?([^";\r\n]*)/gim)) {
    if (!isSecret(decodePercent(name))) continue;
    const blank = /\n\r?\n/g;
    blank.lastIndex = index;
    if (!blank.test(text)) return;
    const end = text.indexOf('\r\n--', blank.lastIndex);
    yield [blank.lastIndex, end < 0 ? text.length : end];
  }
}

/** True for an encoded user and password, as in basic credentials. */
function isBasic(credentials: string): boolean {
  const text = decodePercent(credentials);
  if (!base64.test(text)) return false;
  const digits = text.replaceAll('=', '');
  // Invalid base64 is not passed to atob, because throwing would cost more than everything else.
  return digits.length % 4 !== 1 && atob(digits).includes(':');
}

/** Values after `Bearer` and `Basic`, user and password in URLs, whatever looks like a JWT, and private keys. */
function* credentials(text: string): Generator<Place> {
  const all =
    /\b(bearer|basic)(?:\s{1,8}|%20|\+)([\w.~+/=%-]+)|\/\/([^\s/?#]+)@|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----([^-]+)/gi;
  for (const { 0: found, 1: scheme, 2: after, 3: user, 4: pem, index } of text.matchAll(all)) {
    const secret = after ?? user ?? pem ?? '';
    const to = index + found.length - (user === undefined ? 0 : 1);
    if (scheme === undefined || /^bearer/i.test(scheme) || isBasic(secret)) yield [to - secret.length, to];
  }
}

/** Whatever looks like a JWT, with plain or encoded dots. */
function* tokens(text: string): Generator<Place> {
  if (!text.includes('eyJ')) return;
  for (const { 0: run, index } of text.matchAll(/[\w.%-]{1,1000000}/g)) {
    const at = run.indexOf('eyJ');
    if (at >= 0 && run.slice(at).split(/\.|%2e/i, 3).length === 3) yield [index + at, index + run.length];
  }
}

/** Words that look like keys, and not like trace ids. */
function* words(text: string): Generator<Place> {
  for (const { 0: word, index } of text.matchAll(/[^\s,]{1,1000000}/g))
    if (isOpaqueWord(word) && !traceparent.test(word)) yield [index, index + word.length];
}

/** The end of a value behind a name: of a text in quotes, else of a line or a pair. */
function endOfValue(text: string, from: number): number {
  const [quote = ''] = /^["']/.exec(text[from] ?? '') ?? [];
  const stop = quote === '' ? /[&\r\n]/g : /\\.|["']/gs;
  stop.lastIndex = from + quote.length;
  let found = stop.exec(text);
  while (found && quote && found[0] !== quote) found = stop.exec(text);
  return found ? found.index + quote.length : text.length;
}

/** A string that may be anything: one of JSON, a header, or a value of a query; or a body of text. */
export type Form = 'value' | 'word' | 'body';

/** Rewrites values without their secrets, as the request log shows them. Recordings override how. */
export class Redactor {
  /** The replacement of a secret. */
  hide(_secret: string): string {
    return redacted;
  }

  /** True if a string of this name is secret. */
  isSecret(name: string): boolean {
    return isSecretTextName(name);
  }

  /** A rewritten value of a query. */
  encode(_shown: string): string {
    return redacted;
  }

  /** The passes over a text, the first one first. */
  passes(text: string, form: Form, depth: number): Pass[] {
    if (form === 'value' && !maybeSecret.test(text)) return [];
    const isSecret = (name: string): boolean => this.isSecret(name);
    const isBody = form === 'body';
    return [
      ...(form === 'word' ? [words] : []),
      ...(isBody ? [(part: string) => parts(part, isSecret)] : []),
      (part) => elements(part, isSecret),
      (part) => this.#pairs(part, isSecret, isBody, depth),
      credentials,
      tokens,
    ];
  }

  /**
   * A text. If it is JSON, it is rewritten as JSON.
   * @param form `word` also hides words that look like keys; `body` knows `name: value` and parts.
   */
  text(text: string, form: Form = 'value', depth = 0): string {
    const passes = this.passes(text, form, depth);
    const apply = (part: string, index: number): string => {
      const pass = passes[index];
      if (pass === undefined || part === '') return part;
      let shown = '';
      let at = 0;
      for (const [from, to, replacement] of pass(part)) {
        if (from < at || from === to) continue;
        shown += apply(part.slice(at, from), index + 1) + (replacement ?? this.hide(part.slice(from, to)));
        at = to;
      }
      return shown + apply(part.slice(at), index + 1);
    };
    return this.jsonText(text, depth + 1) ?? apply(text, 0);
  }

  /** A string with a name, which may tell that it is secret. */
  named(name: string, value: string, form: Form = 'word', depth = 0): string {
    return value !== '' && this.isSecret(name) ? this.hide(value) : this.text(value, form, depth);
  }

  /** The pairs of a query or a form, as they were written unless they change. */
  query(query: string): string {
    const shownOf = (raw: string, name = ''): string => {
      const text = decodePercent(raw);
      const shown = this.named(name, text);
      return shown === text ? raw : this.encode(shown);
    };
    const pairs = query.split('&').map((pair) => {
      const at = pair.indexOf('=');
      if (at < 0) return shownOf(pair);
      const name = pair.slice(0, at);
      return `${shownOf(name)}=${shownOf(pair.slice(at + 1), decodePercent(name))}`;
    });
    return pairs.join('&');
  }

  /** A copy of a JSON value. Everything below a secret name is secret. */
  json(value: unknown, name = '', depth = 0): unknown {
    const isSecret = isSecretName(name);
    if (typeof value === 'string') return this.named(name, value, 'value', depth);
    if (typeof value !== 'object' || value === null) return isSecret && value !== null ? redacted : value;
    if (depth >= deepest) return '[deeper]';
    if (Array.isArray(value)) return value.map((item) => this.json(item, name, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        this.text(key) === key ? key : redacted,
        this.json(item, isSecret ? name : key, depth + 1),
      ]),
    );
  }

  /** Rewrites a JSON text; undefined if it is not an array or object. */
  jsonText(text: string, depth: number): string | undefined {
    if (!/^\s*[[{]/.test(text)) return undefined;
    try {
      return JSON.stringify(this.json(JSON.parse(text), '', depth));
    } catch {
      return undefined;
    }
  }

  /** The values of secret names: `password=pw`; with `colons` also `password: pw` and `"password": "pw"`. */
  *#pairs(text: string, isSecret: (name: string) => boolean, colons: boolean, depth: number): Generator<Place> {
    const separator = colons ? /[\\"'\]]*\s{0,8}[=:]\s{0,8}/y : /[\\"'\]]*\s{0,8}=\s{0,8}/y;
    const encoded = /[^&\s"'<>%]*%[^&\s"'<>]*/y;
    let at = 0;
    for (const { 0: name, index } of text.matchAll(/[\w%.+$[-]{1,1000000}/g)) {
      separator.lastIndex = index + name.length;
      if (index < at || !separator.test(text)) continue;
      const from = separator.lastIndex;
      encoded.lastIndex = from;
      if (isSecret(decodePercent(name))) {
        at = endOfValue(text, from);
        yield [from, at];
      } else if (encoded.test(text)) {
        // A query in a value of a query, at any depth.
        at = encoded.lastIndex;
        const value = decodePercent(text.slice(from, at));
        const shown = depth < deepest ? this.text(value, 'value', depth + 1) : '';
        if (shown !== value) yield [from, at, shown === '' ? this.hide(value) : this.encode(shown)];
      }
    }
  }
}

const longBody = 16_384;

const logged = (): Redactor => new Redactor();

/** Redacts likely secrets in a path, a header or a JSON string. */
export const redactText = (text: string): string => (maybeSecret.test(text) ? logged().text(text) : text);

/** True if a text holds a key or a token, or the beginning of one. */
export const looksSecret = (text: string): boolean =>
  /eyJ[\w-]{4}/.test(text) ||
  text.split(/[^\w-]/).some((word) => isOpaqueWord(word) && !traceparent.test(word)) ||
  redactText(text) !== text;

/** True if a body is too long for the log, which then shows only its size. */
export const isLongBody = (length: number): boolean => length > longBody;

/** Redacts a query: values of secret parameters, and values that contain secrets themselves. */
export const redactQuery = (query: string): string => logged().query(query);

/** Redacts the values of headers with secret names, and what looks like a secret in others. */
export const redactHeaders = (headers: { entries(): Iterable<[string, string]> }): Record<string, string> =>
  Object.fromEntries(Array.from(headers.entries(), ([name, value]) => [name, logged().named(name, value)]));

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
      return logged().json(JSON.parse(text));
    } catch {
      return logged().text(text, 'body');
    }
  } catch {
    return `[${length} bytes]`;
  }
}
