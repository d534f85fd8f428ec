import { isSecretName } from '../../../base/secrets/names.js';
import { decodePercent, type Form, type Pass, type Place, Redactor } from '../../../base/secrets/redact.js';
import { hasTokenForm } from '../../../base/secrets/token-form.js';
import { textOf } from '../../../mock/recordings/body-bytes.js';
import { splitReferences } from '../../../mock/recordings/references.js';
import { deepest, parseExactly, refuseDepth, Unkept, writeChanged } from './exact-json.js';
import type { Fields } from './fields.js';
import { type KnownValues, kindOf } from './known-values.js';

/** Base64 inside base64. */
const mostLayers = 3;
const longestMs = 2_000;

/** Encodes the text around references for a URL. */
const encodeAround = (text: string): string =>
  splitReferences(text)
    .map((part, index) => (index % 2 === 0 ? encodeURIComponent(part.toWellFormed()) : part))
    .join('');

/** Decodes a segment of a path; as it is if it is undecodable. */
const decodeSegment = (text: string): string => decodePercent(text.replaceAll('+', '%2B'));

/** Replaces secrets, and values that differ at each run, by references. */
export class Concealer extends Redactor {
  override readonly encode = encodeAround;
  readonly #known: KnownValues;
  readonly #secret: Fields;
  readonly #volatile: Fields;
  readonly #now: () => number;
  #layer = 0;
  #begin = 0;

  constructor(known: KnownValues, secret: Fields, volatile: Fields, now: () => number) {
    super();
    this.#known = known;
    this.#secret = secret;
    this.#volatile = volatile;
    this.#now = now;
  }

  /** Begins an exchange, which has two seconds of its own. */
  begin(): void {
    this.#begin = this.#now();
  }

  #spend(): void {
    if (this.#now() - this.#begin > longestMs) throw new Unkept(`it takes longer than ${longestMs / 1_000} s to read`);
  }

  override hide(secret: string): string {
    return this.#known.reference(secret, 'token');
  }

  override isSecret(name: string): boolean {
    return super.isSecret(name) || this.#secret.has(name);
  }

  override named(name: string, value: string, form?: Form, depth?: number): string {
    if (value === '' || this.isSecret(name)) return super.named(name, value, form, depth);
    if (this.#volatile.has(name)) return this.#known.reference(value, kindOf(value));
    return this.#known.ofWhole(value) ?? super.named(name, value, form, depth);
  }

  /** A copy of a JSON value. Everything below a secret field is secret. */
  override json(value: unknown, name = '', depth = 0, path: readonly string[] = [], isBelow = false): unknown {
    const isSecret = isBelow || isSecretName(name) || this.#secret.has(name, path);
    const isVolatile = this.#volatile.has(name, path);
    if (typeof value === 'string') {
      if (value === '') return value;
      if (isSecret || this.isSecret(name)) return this.hide(value);
      if (isVolatile) return this.#known.reference(value, kindOf(value));
      return this.#known.ofLong(value) ?? this.text(value, 'value', depth);
    }
    if (typeof value === 'number')
      return isSecret || isVolatile
        ? this.#known.reference(String(value), 'number', !isSecret)
        : (this.#known.ofLong(value) ?? value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= deepest) return refuseDepth();
    const below = (key: string, item: unknown, at: string): unknown =>
      this.json(item, key, depth + 1, [...path, at], isSecret);
    if (Array.isArray(value)) return value.map((item, index) => below(name, item, String(index)));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        this.text(key) === key ? key : this.hide(key),
        below(key, item, key),
      ]),
    );
  }

  override jsonText(text: string, depth: number): string | undefined {
    if (!/^\s*[[{]/.test(text)) return undefined;
    const value = parseExactly(text);
    return value && writeChanged(this.json(value, '', depth), value, text);
  }

  /** Lines that are JSON, as in streams, and then known values. */
  override passes(text: string, form: Form, depth: number): Pass[] {
    const own: Pass[] = [(part) => this.#jsonLines(part, depth), (part) => this.#knownIn(part)];
    return [...own.slice(form === 'body' ? 0 : 1), ...super.passes(text, form, depth)];
  }

  override text(text: string, form?: Form, depth?: number): string {
    return this.#finish(super.text(text, form, depth), text);
  }

  *#jsonLines(text: string, depth: number): Generator<Place> {
    let at = 0;
    for (const line of text.split('\n')) {
      const [, prefix = '', json] = /^((?:data:[ ]?|\p{Cc})?)([[{].*[\]}])\s*$/u.exec(line) ?? [];
      const shown = json === undefined ? undefined : this.jsonText(json, depth + 1);
      const from = at + prefix.length;
      if (json !== undefined && shown !== undefined) yield [from, from + json.length, shown];
      at += line.length + 1;
    }
  }

  /** Known values, and words in base64 whose text holds a secret. */
  *#knownIn(text: string): Generator<Place> {
    this.#spend();
    const encoded: Place[] = [];
    if (this.#layer < mostLayers)
      for (const { 0: word, index } of text.matchAll(/[\w+/-]{16,1000000}={0,2}/g)) {
        const decoded = textOf(Buffer.from(word, 'base64')) ?? '';
        if (decoded === '' || /[^\P{Cc}\t\r\n]/u.test(decoded)) continue;
        this.#layer += 1;
        const isChanged = this.text(decoded, 'body') !== decoded;
        this.#layer -= 1;
        if (isChanged) encoded.push([index, index + word.length]);
      }
    yield* [...encoded, ...this.#known.placesIn(text)].sort(([a], [b]) => a - b);
  }

  /** Hides the lines that still hold a secret in some encoding, or the whole text if its lines do not tell where. */
  #finish(shown: string, text: string): string {
    this.#spend();
    const { holdsSecret } = this.#known;
    const lines = shown.split('\n');
    if (!holdsSecret(shown) && (lines.length === 1 || !holdsSecret(shown.replace(/[\r\n]+/g, '')))) return shown;
    // Also with its neighbours, because base64 is often folded.
    const left = lines.map((line, index) => {
      const near = [line, (lines[index - 1] ?? '').trimEnd() + line, line.trimEnd() + (lines[index + 1] ?? '')];
      return line !== '' && near.some(holdsSecret) ? this.hide(line) : line;
    });
    const isSafe = lines.length > 1 && ['\n', ''].every((between) => !holdsSecret(left.join(between)));
    return isSafe ? left.join('\n') : this.hide(text);
  }

  /** A path, with the names of its parameters. */
  path(path: string, names: ReadonlyMap<string, string> = new Map()): string {
    const segments = path.split('/').map((raw) => {
      const text = decodeSegment(raw);
      const shown = this.named(names.get(text) ?? '', text);
      return shown === text ? raw : encodeAround(shown);
    });
    return segments.join('/');
  }

  #address(url: string): string {
    const [, origin = '', path = '', query, fragment] =
      /^((?:[a-z][\w+.-]*:)?\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(url) ?? [];
    const [asked, anchor] = [query, fragment].map((one) => one && this.query(one));
    const rest = `${asked === undefined ? '' : `?${asked}`}${anchor === undefined ? '' : `#${anchor}`}`;
    return this.text(origin) + this.path(path) + rest;
  }

  #setCookie(value: string): string {
    const [first = '', ...attributes] = value.split(';').map((one) => one.trim());
    const at = first.indexOf('=');
    const cookie = first.slice(at + 1).replaceAll('"', '');
    const pair = at < 0 ? '' : `${this.text(first.slice(0, at), 'word')}=`;
    const known = attributes.flatMap((one) => {
      const [, name = '', content = ''] = /^([\w-]+)\s*(?:=(.*))?$/s.exec(one) ?? [];
      if (/^(?:secure|httponly|partitioned)$/i.test(name)) return name;
      if (/^path$/i.test(name)) return `${name}=${this.path(content)}`;
      return /^(?:domain|expires|max-age|samesite|priority)$/i.test(name)
        ? `${name}=${this.text(content, 'word')}`
        : [];
    });
    return [pair + (cookie && this.hide(cookie)), ...known].join('; ');
  }

  /** The value of a header, by its grammar. */
  header(name: string, value: string): string {
    if (name === 'set-cookie') return this.#setCookie(value);
    if (name === 'location' || name === 'content-location') return this.#address(value);
    if (name === 'link')
      return value.replace(/<([^<>]*)>|[^<]+/g, (all, url) =>
        url === undefined ? this.text(all, 'word') : `<${this.#address(url)}>`,
      );
    if (name === 'refresh') {
      const [, delay = '', url = ''] = /^([\s\d.]*[;,]?\s*(?:url\s*=\s*)?['"]?)(.*)$/is.exec(value) ?? [];
      return delay + this.#address(url);
    }
    // A challenge names a scheme, which is no credential by itself.
    if (name === 'www-authenticate')
      return this.#known.holdsSecret(value) || hasTokenForm(value) ? this.hide(value) : value;
    return this.#secret.has(name) || this.#volatile.has(name) ? this.named(name, value) : this.text(value, 'word');
  }
}
