import { cookiePlace, secretsInHeader } from '../../../base/secrets/hidden-places.js';
import { hasTokenForm } from '../../../base/secrets/token-form.js';
import type { Header } from '../../../mock/forward/forwarded-headers.js';
import { decodeSegment } from '../../../mock/recordings/match-recording.js';
import type { RecordedExchange, RecordedHeaders } from '../../../mock/recordings/recording-format.js';
import type { Captured } from './captured.js';
import { encodeAround } from './conceal-address.js';
import { BodyConcealer, concealPair } from './conceal-body.js';
import { Concealer } from './concealer.js';
import type { Fields } from './fields.js';
import type { KnownValues } from './known-values.js';

/** Headers that describe the connection or the moment. The player's server sets them itself. */
const dropped: ReadonlySet<string> = new Set(['date', 'age', 'content-length', 'content-encoding']);

/** The template of a request's path, and the values of its parameters. */
export interface KnownOperation {
  readonly template: string | undefined;
  readonly values: ReadonlyMap<string, string>;
}

/** Makes recordings of exchanges. */
export class ExchangeConcealer {
  readonly #known: KnownValues;
  readonly #concealer: Concealer;
  readonly #bodies: BodyConcealer;

  constructor(known: KnownValues, secret: Fields, volatile: Fields) {
    this.#known = known;
    this.#concealer = new Concealer(known, secret, volatile);
    this.#bodies = new BodyConcealer(this.#concealer, known);
  }

  /** The recording of an exchange. Called once to collect the values, and again when all of them are known. */
  record(captured: Captured, operation: KnownOperation): RecordedExchange {
    const { method, path, query, request, response } = captured;
    for (const [name, value] of [...request.headers, ...response.headers])
      for (const secret of secretsInHeader(name, value)) if (secret !== '') this.#known.note(secret, 'token');
    for (const [name, value] of request.headers) this.#concealer.named(name, value);
    const body = this.#bodies.request(request);
    // The boundary differs at each run, and the parts do without it.
    const kept = request.headers.filter(([name]) => name === 'content-type' && body.parts === undefined);
    const { template } = operation;
    return {
      method,
      template,
      path: this.#path(path, operation),
      query: this.#query(query),
      request: { headers: this.#headers(kept), ...body },
      response: {
        status: response.status,
        headers: this.#headers(response.headers),
        ...this.#bodies.response(response),
      },
    };
  }

  #path(path: string, { values }: KnownOperation): string {
    const named = new Map([...values].map(([name, value]) => [value, name]));
    const segments = path.split('/').map((raw) => {
      const text = decodeSegment(raw);
      if (text === '') return raw;
      const name = named.get(text);
      const shown =
        (name === undefined ? undefined : this.#concealer.named(name, text)) ??
        this.#concealer.opaque(text) ??
        this.#known.ofWhole(text) ??
        this.#concealer.value(text);
      return shown === text ? raw : encodeAround(shown);
    });
    return segments.join('/');
  }

  #query(query: string): string {
    if (query === '') return '';
    const pairs = query.split('&').map((pair) => concealPair(pair, this.#concealer, this.#known));
    return pairs.join('&');
  }

  #headers(headers: readonly Header[]): RecordedHeaders {
    // A map: names like `constructor` are on each object.
    const shown = new Map<string, string | string[]>();
    for (const [name, value] of headers) {
      if (dropped.has(name)) continue;
      const text = this.#header(name, value);
      const before = shown.get(name);
      shown.set(name, before === undefined ? text : [before, text].flat());
    }
    return Object.fromEntries(shown);
  }

  #header(name: string, value: string): string {
    if (name === 'set-cookie') {
      const [from, to] = cookiePlace(value);
      const cookie = value.slice(from, to);
      const hidden = cookie === '' ? '' : this.#concealer.token(cookie);
      return this.#concealer.value(value.slice(0, from)) + hidden + value.slice(to);
    }
    // A challenge names a scheme, which is no credential by itself.
    if (name === 'www-authenticate')
      return this.#known.quotesSecret(value) || hasTokenForm(value) ? this.#concealer.token(value) : value;
    const named = this.#concealer.named(name, value);
    if (named !== undefined) return named;
    const words = value.split(/([\s,]+)/).map((word) => ({ word, opaque: this.#concealer.opaque(word) }));
    if (words.every(({ opaque }) => opaque === undefined)) return this.#concealer.value(value);
    return words.map(({ word, opaque }) => opaque ?? this.#concealer.value(word)).join('');
  }
}
