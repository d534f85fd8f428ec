import { isSecretName, isSecretTextName } from '../../../base/secrets/names.js';
import { decodePercent, type Hiding, isOpaque, redactText, redactTextBody } from '../../../base/secrets/redact.js';
import { hasTokenForm } from '../../../base/secrets/token-form.js';
import { textOf } from '../../../mock/recordings/body-bytes.js';
import { isReference, splitReferences } from '../../../mock/recordings/references.js';
import { decodeSegment } from '../../../mock/wire/path-rules.js';
import { deepest, parseExactly, refuseDepth, Unkept, writeChanged } from './exact-json.js';
import type { NamedFields } from './fields.js';
import { type KnownValues, kindOf } from './known-values.js';

/** A value (of JSON), a value where keys are usual (of a query, a path, a header), or a body of text. */
type Form = 'value' | 'word' | 'body';

/** Base64 inside base64. */
const mostLayers = 3;
const longestMs = 2_000;
/** The number of characters that are surely read in a millisecond. */
const charactersPerMs = 2_000;

/** Encodes the text around references for a URL. */
const encodeAround = (text: string): string =>
  splitReferences(text)
    .map((part, index) => (index % 2 === 0 ? encodeURIComponent(part.toWellFormed()) : part))
    .join('');

/** Conceals parts of an exchange: replaces secrets, and values that differ at each run, by references. */
export class Concealer implements Hiding {
  readonly #known: KnownValues;
  readonly #secret: NamedFields;
  readonly #volatile: NamedFields;
  readonly #now: () => number;
  #layer = 0;
  #end = 0;
  #reason = '';

  constructor(known: KnownValues, secret: NamedFields, volatile: NamedFields, now: () => number) {
    this.#known = known;
    this.#secret = secret;
    this.#volatile = volatile;
    this.#now = now;
  }

  /**
   * Begins an exchange, which has two seconds of its own.
   * @param leftMs the time that is left at the end of a run.
   */
  begin(leftMs = Number.POSITIVE_INFINITY): void {
    this.#end = this.#now() + Math.min(longestMs, leftMs);
    this.#reason =
      leftMs < longestMs
        ? 'the end of a run takes at most 4 s of CPU time'
        : 'it takes longer than 2 s of CPU time to read';
    this.#spend(0);
  }

  /** Throws if the time left is too short for a text of this length, because a text is read as a whole. */
  #spend(length: number): void {
    if (this.#now() + length / charactersPerMs > this.#end) throw new Unkept(this.#reason);
  }

  readonly hide = (secret: string): string => (isReference(secret) ? secret : this.#known.reference(secret, 'token'));

  readonly isSecret = (name: string): boolean => isSecretTextName(name) || this.#secret.has(name);

  /** Conceals a string; its name may mark it as secret. */
  named(name: string, value: string, form: Form = 'word'): string {
    if (value === '') return value;
    if (this.isSecret(name)) return this.hide(value);
    if (this.#volatile.has(name)) return this.#known.reference(value, kindOf(value));
    return this.#known.ofWhole(value) ?? this.text(value, form);
  }

  /** Conceals a query or a form; pairs that hold nothing to conceal stay as they were written. */
  query(query: string): string {
    const shownOf = (raw: string, name = ''): string => {
      const text = decodePercent(raw);
      const safeText = this.named(name, text);
      return safeText === text ? raw : encodeAround(safeText);
    };
    return query.replace(
      /([^&=]+)?(=)?([^&]+)?/g,
      (_, name = '', sign = '', value = '') => shownOf(name) + sign + shownOf(value, decodePercent(name)),
    );
  }

  /** Conceals a JSON value, in a copy. Everything below a secret field is secret. */
  json(value: unknown, name = '', depth = 0, path: readonly string[] = []): unknown {
    const isSecret = isSecretName(name) || this.#secret.has(name, path);
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
      this.json(item, isSecret ? 'secret' : key, depth + 1, [...path, at]);
    if (Array.isArray(value)) return value.map((item, index) => below(name, item, String(index)));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        this.text(key) === key ? key : this.hide(key),
        below(key, item, key),
      ]),
    );
  }

  #json(text: string, depth: number): string | undefined {
    if (!/^\s*[[{]/.test(text)) return undefined;
    const value = parseExactly(text);
    return value === undefined ? undefined : writeChanged(this.json(value, '', depth), value, text);
  }

  /**
   * Conceals a text. If it is JSON, the result is JSON.
   * @param form `word` also hides words that look like keys; `body` has lines, and `name: value`.
   */
  text(text: string, form: Form = 'value', depth = 0): string {
    this.#spend(text.length);
    if (depth > deepest) return this.hide(text);
    const draft =
      this.#json(text, depth + 1) ?? (form === 'body' ? this.#lines(text, depth) : this.#plain(text, form, depth));
    return this.#finish(draft, text);
  }

  #plain(text: string, form: Form, depth: number): string {
    let result = this.#encodedWords(text, depth);
    // Queries in values of queries, at any depth.
    if (result.includes('%'))
      result = result.replace(/(?<==)[^&\s"'<>%=]*%[^&\s"'<>]*/g, (raw) => {
        const value = decodePercent(raw);
        const written = value === raw ? value : this.text(value, 'value', depth + 1);
        return written === value ? raw : encodeAround(written);
      });
    result = this.#known.replaceIn(result);
    result = result.replace(/(?<=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]+/g, this.hide);
    if (form === 'word')
      result = result.replace(/[^\s,]{1,1000000}/g, (word) => (isOpaque(word) ? this.hide(word) : word));
    return (form === 'body' ? redactTextBody : redactText)(result, this);
  }

  /** Conceals a body of text, of which some lines may be JSON, as in streams. */
  #lines(text: string, depth: number): string {
    let open = '';
    let result = '';
    const flush = (): void => {
      if (open !== '') result += this.#plain(open, 'body', depth);
      open = '';
    };
    for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      const [, prefix = '', json = '', end = ''] = /^((?:data:[ ]?|\p{Cc})?)([[{].*[\]}])(\s*)$/u.exec(line) ?? [];
      const written = this.#json(json, depth + 1);
      if (written === undefined) open += line;
      else {
        flush();
        result += prefix + written + end;
      }
    }
    flush();
    return result;
  }

  /** Replaces words in base64 whose text holds a secret. */
  #encodedWords(text: string, depth: number): string {
    if (this.#layer >= mostLayers) return text;
    return text.replace(/[\w+/-]{16,1000000}={0,2}/g, (word) => {
      const decoded = textOf(Buffer.from(word, 'base64')) ?? '';
      if (decoded === '' || /[^\P{Cc}\t\r\n]/u.test(decoded)) return word;
      this.#layer += 1;
      const isChanged = this.text(decoded, 'body', depth) !== decoded;
      this.#layer -= 1;
      return isChanged ? this.hide(word) : word;
    });
  }

  /** Hides the lines that still hold a secret in some encoding, or the whole text if its lines do not tell where. */
  #finish(draft: string, text: string): string {
    const { holdsSecret } = this.#known;
    const lines = draft.split('\n');
    if (!holdsSecret(draft) && (lines.length === 1 || !holdsSecret(draft.replace(/[\r\n]+/g, '')))) return draft;
    // Also with its neighbours, because base64 is often folded.
    const left = lines.map((line, index) => {
      const near = [line, (lines[index - 1] ?? '').trimEnd() + line, line.trimEnd() + (lines[index + 1] ?? '')];
      return line !== '' && near.some(holdsSecret) ? this.hide(line) : line;
    });
    const isSafe = lines.length > 1 && ['\n', ''].every((between) => !holdsSecret(left.join(between)));
    return isSafe ? left.join('\n') : this.hide(text);
  }

  /** Conceals a path. `names` has the parameter of a segment's value. */
  path(path: string, names: ReadonlyMap<string, string> = new Map()): string {
    const segments = path.split('/').map((raw) => {
      const text = decodeSegment(raw);
      const safeText = this.named(names.get(text) ?? '', text);
      return safeText === text ? raw : encodeAround(safeText);
    });
    return segments.join('/');
  }

  #address(url: string): string {
    const [, origin = '', path = '', query, fragment] =
      /^((?:[a-z][\w+.-]*:)?\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(url) ?? [];
    const [search, anchor] = [query, fragment].map((part) => part && this.query(part));
    const rest = `${search === undefined ? '' : `?${search}`}${anchor === undefined ? '' : `#${anchor}`}`;
    return this.text(origin) + this.path(path) + rest;
  }

  #setCookie(value: string): string {
    const [first = '', ...attributes] = value.split(';').map((part) => part.trim());
    const at = first.indexOf('=');
    const cookie = first.slice(at + 1).replaceAll('"', '');
    const pair = at < 0 ? '' : `${this.text(first.slice(0, at), 'word')}=`;
    const safeAttributes = attributes.flatMap((attribute) => {
      const [, name = '', content = ''] = /^([\w-]+)\s*(?:=(.*))?$/s.exec(attribute) ?? [];
      if (/^(?:secure|httponly|partitioned)$/i.test(name)) return name;
      if (/^path$/i.test(name)) return `${name}=${this.path(content)}`;
      return /^(?:domain|expires|max-age|samesite|priority)$/i.test(name)
        ? `${name}=${this.text(content, 'word')}`
        : [];
    });
    return [pair + (cookie && this.hide(cookie)), ...safeAttributes].join('; ');
  }

  /** Conceals the value of a header, by the header's grammar. */
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
    // A challenge names a scheme, which is not a credential by itself.
    if (name === 'www-authenticate')
      return this.#known.holdsSecret(value) || hasTokenForm(value) ? this.hide(value) : value;
    return this.#secret.has(name) || this.#volatile.has(name) ? this.named(name, value) : this.text(value, 'word');
  }
}
