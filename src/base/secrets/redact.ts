import { isSecretName, isSecretTextName } from './names.js';
import { isOpaqueWord } from './token-form.js';

// The one engine that finds likely secrets: for the request log, for the texts of reports and for recordings. Every
// pattern in this file takes linear time for any input.

/** The replacement for a secret. */
export const redacted = '<redacted>';

/** A part of a text, by its offsets, and what replaces it; without a replacement it is a secret. */
export type Place = readonly [from: number, to: number, shown?: string];

/** Replaces the places of a text, which are in order; `rest` rewrites the text around them. */
export function replacePlaces(
  text: string,
  places: Iterable<Place>,
  hide: (secret: string) => string,
  rest: (text: string) => string,
): string {
  let shown = '';
  let at = 0;
  for (const [from, to, replacement] of places) {
    if (from < at || from === to) continue;
    shown += rest(text.slice(at, from)) + (replacement ?? hide(text.slice(from, to)));
    at = to;
  }
  return at === 0 ? rest(text) : shown + rest(text.slice(at));
}

/** Where a value of JSON stands. */
export interface Spot {
  readonly name: string;
  readonly pointer: string;
  /** True for a value that is secret by its own name or one above it. */
  readonly isSecret: boolean;
  /** The number of arrays, objects, JSON texts and encodings around it. */
  readonly depth: number;
}

/** How secrets are replaced. The request log and recordings differ only in this. */
export interface Hiding {
  /** The most levels of JSON, also in texts in it. */
  readonly deepest: number;
  hide(secret: string): string;
  /** Names beside the usual ones. */
  isSecret(name: string, pointer: string): boolean;
  /** The replacement of a string that needs one for another reason than a secret. */
  other(text: string, name: string, pointer: string): string | undefined;
  /** A number, a boolean or null of JSON. */
  scalar(value: unknown, spot: Spot): unknown;
  /** The value below the most levels. */
  deeper(): unknown;
  /** A rewritten value of a query. */
  encode(shown: string): string;
  /** Reads JSON; throws a SyntaxError if it is not JSON. */
  parse(json: string): unknown;
  /** Writes a rewritten value of a JSON text. */
  write(shown: unknown, value: unknown, json: string): string;
  /** The places of other values that are replaced. */
  known(text: string): Iterable<Place>;
  /** Has the last word on a text. */
  finish(shown: string, text: string): string;
}

const maybeSecret = /[=<@%]|bearer|basic|eyJ|-----BEGIN/i;
const base64 = /^[a-z\d+/]+={0,2}$/i;
const traceparent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const top: Spot = { name: '', pointer: '', isSecret: false, depth: 0 };

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
  if (!/^content-disposition:/im.test(text)) return;
  let at = 0;
  let from = -1;
  let isOpen = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('--') && from >= 0) yield [from, text[at - 2] === '\r' ? at - 2 : at - 1];
    if (line.startsWith('--')) [from, isOpen] = [-1, false];
    const name = /^content-disposition:.*?\bname\*?=\s*"?([^";\r]*)/i.exec(line)?.[1];
    if (name !== undefined && isSecret(decodePercent(name))) isOpen = true;
    at += line.length + 1;
    if (isOpen && from < 0 && line.trim() === '') from = Math.min(at, text.length);
  }
  if (from >= 0) yield [from, text.length];
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
  const quote = text[from];
  let at = from;
  if (quote !== '"' && quote !== "'") {
    while (at < text.length && !/[&\r\n]/.test(text[at] ?? '')) at += 1;
    return at;
  }
  for (at += 1; at < text.length && text[at] !== quote; at += 1) if (text[at] === '\\') at += 1;
  return Math.min(at + 1, text.length);
}

/** A string that may be anything: one of JSON, a header, or a value of a query; or a body of text. */
type Form = 'value' | 'word' | 'body';

/** Rewrites values without their secrets. */
export class Redactor {
  readonly #hiding: Hiding;
  readonly #isSecret = (name: string): boolean => isSecretTextName(name) || this.#hiding.isSecret(name, '');

  constructor(hiding: Hiding) {
    this.#hiding = hiding;
  }

  /**
   * A text. If it is JSON, it is rewritten as JSON.
   * @param form `word` also hides words that look like keys; `body` knows `name: value`, parts and lines of JSON.
   */
  text(text: string, form: Form = 'value', depth = 0): string {
    const shown = this.#json(text, depth + 1);
    if (shown !== undefined) return shown;
    const hiding = this.#hiding;
    const known = (part: string) => hiding.known(part);
    const passes =
      form === 'value' && !maybeSecret.test(text)
        ? [known]
        : [
            ...(form === 'body' ? [(part: string) => this.#jsonLines(part, depth)] : []),
            known,
            ...(form === 'body' ? [(part: string) => parts(part, this.#isSecret)] : []),
            ...(form === 'word' ? [words] : []),
            (part: string) => elements(part, this.#isSecret),
            (part: string) => this.#pairs(part, form === 'body', depth),
            credentials,
            tokens,
          ];
    const apply = (part: string, index: number): string => {
      const pass = passes[index];
      if (pass === undefined || part === '') return part;
      return replacePlaces(
        part,
        pass(part),
        (secret) => hiding.hide(secret),
        (around) => apply(around, index + 1),
      );
    };
    return hiding.finish(apply(text, 0), text);
  }

  /** A string with a name; everything is secret if its name is. */
  named(name: string, value: string, form: Form = 'word', pointer = '', depth = 0): string {
    if (value === '') return value;
    if (isSecretTextName(name) || this.#hiding.isSecret(name, pointer)) return this.#hiding.hide(value);
    return this.#hiding.other(value, name, pointer) ?? this.text(value, form, depth);
  }

  /** The pairs of a query or a form, as they were written unless they change. */
  query(query: string, depth = 0): string {
    const shownOf = (raw: string, name?: string): string => {
      const text = decodePercent(raw);
      const shown = name === undefined ? this.text(text, 'word', depth) : this.named(name, text, 'word', '', depth);
      return shown === text ? raw : this.#hiding.encode(shown);
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
  json(value: unknown, spot = top): unknown {
    const { name, pointer, depth } = spot;
    const hiding = this.#hiding;
    const isSecret = spot.isSecret || isSecretName(name) || hiding.isSecret(name, pointer);
    if (typeof value === 'string')
      return isSecret && value !== '' ? hiding.hide(value) : this.named(name, value, 'value', pointer, depth);
    if (typeof value !== 'object' || value === null) return hiding.scalar(value, { ...spot, isSecret });
    if (depth >= hiding.deepest) return hiding.deeper();
    const below = (key: string, item: unknown, at: string): unknown =>
      this.json(item, { name: key, pointer: `${pointer}/${at}`, isSecret, depth: depth + 1 });
    if (Array.isArray(value)) return value.map((item, index) => below(name, item, String(index)));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const shown = this.text(key, 'value', depth);
        const at = key.replaceAll('~', '~0').replaceAll('/', '~1');
        return [shown === key ? key : hiding.hide(key), below(key, item, at)];
      }),
    );
  }

  /** Rewrites a JSON text; undefined if it is not an array or object. */
  #json(text: string, depth: number): string | undefined {
    if (!/^\s*[[{]/.test(text)) return undefined;
    let value: unknown;
    try {
      value = this.#hiding.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
    return this.#hiding.write(this.json(value, { ...top, depth }), value, text);
  }

  /** Lines that are JSON, as in streams. */
  *#jsonLines(text: string, depth: number): Generator<Place> {
    let at = 0;
    for (const line of text.split('\n')) {
      const [, prefix = '', json] = /^((?:data:[ ]?|\p{Cc})?)([[{].*[\]}])\s*$/u.exec(line) ?? [];
      const shown = json === undefined ? undefined : this.#json(json, depth + 1);
      if (json !== undefined && shown !== undefined)
        yield [at + prefix.length, at + prefix.length + json.length, shown];
      at += line.length + 1;
    }
  }

  /** The values of secret names: `password=pw`; with `colons` also `password: pw` and `"password": "pw"`. */
  *#pairs(text: string, colons: boolean, depth: number): Generator<Place> {
    const separator = colons ? /[\\"'\]]*\s{0,8}[=:]\s{0,8}/y : /[\\"'\]]*\s{0,8}=\s{0,8}/y;
    const encoded = /[^&\s"'<>%]*%[^&\s"'<>]*/y;
    let at = 0;
    for (const { 0: name, index } of text.matchAll(/[\w%.+$[-]{1,1000000}/g)) {
      separator.lastIndex = index + name.length;
      if (index < at || !separator.test(text)) continue;
      const from = separator.lastIndex;
      encoded.lastIndex = from;
      if (this.#isSecret(decodePercent(name))) {
        at = endOfValue(text, from);
        yield [from, at];
      } else if (encoded.test(text)) {
        // A query in a value of a query, at any depth.
        at = encoded.lastIndex;
        const raw = text.slice(from, at);
        const value = decodePercent(raw);
        if (value === raw) continue;
        const isDeep = depth >= this.#hiding.deepest;
        const shown = isDeep ? this.#hiding.hide(value) : this.text(value, 'value', depth + 1);
        if (shown !== value) yield [from, at, this.#hiding.encode(shown)];
      }
    }
  }
}

const longBody = 16_384;

/** The request log shows a word in place of each secret. */
const forLog: Hiding = {
  deepest: 32,
  hide: () => redacted,
  isSecret: () => false,
  other: () => undefined,
  scalar: (value, { isSecret }) => (isSecret && value !== null ? redacted : value),
  deeper: () => '[deeper]',
  encode: () => redacted,
  parse: (json) => JSON.parse(json),
  write: (shown) => JSON.stringify(shown),
  known: () => [],
  finish: (shown) => shown,
};

const logged = (): Redactor => new Redactor(forLog);

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
