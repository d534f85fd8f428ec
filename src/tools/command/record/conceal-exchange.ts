import { isSecretTextName } from '../../../base/secrets/names.js';
import { secretsOf } from '../../../base/secrets/sent.js';
import type { Verdict } from '../../../mock/adapters/node/playback/check-document.js';
import type { Header } from '../../../mock/forward/forwarded-headers.js';
import type { RecordedExchange, RecordedHeaders } from '../../../mock/recordings/recording-format.js';
import type { Captured } from './captured.js';
import { BodyConcealer } from './conceal-body.js';
import { Concealer } from './concealer.js';
import { type NamedFields, readFields } from './fields.js';
import type { KnownValues } from './known-values.js';

/** Headers that are kept: all have a grammar that says where a secret may stand. */
const usualHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-patch', 'accept-post', 'accept-ranges', 'allow', 'cache-control', 'content-disposition'],
  ...['content-language', 'content-location', 'content-range', 'content-type', 'deprecation', 'etag', 'expires'],
  ...['last-modified', 'link', 'location', 'preference-applied', 'refresh', 'retry-after', 'set-cookie', 'sunset'],
  ...['vary', 'www-authenticate', 'x-content-type-options'],
]);
const keptFamily = /^(?:access-control-|(?:x-)?ratelimit-)/;

/** Headers that describe the connection or the moment. The player's server sets them itself. */
const dropped: ReadonlySet<string> = new Set([
  ...['date', 'age', 'connection', 'content-length', 'content-encoding', 'keep-alive', 'transfer-encoding', 'server'],
]);

/** The fields of the flags of the command. */
export interface ConcealOptions {
  readonly secret: readonly string[];
  readonly volatile: readonly string[];
  readonly keptHeaders: readonly string[];
  readonly keptTypes: readonly string[];
}

/** Makes recordings of exchanges. */
export class ExchangeConcealer {
  /** The names of headers that were not kept. */
  readonly droppedHeaders = new Set<string>();
  readonly #known: KnownValues;
  readonly #concealer: Concealer;
  readonly #bodies: BodyConcealer;
  readonly #keptHeaders: NamedFields;

  /** @param now milliseconds. */
  constructor(known: KnownValues, { secret, volatile, keptHeaders, keptTypes }: ConcealOptions, now: () => number) {
    this.#known = known;
    this.#concealer = new Concealer(known, readFields(secret), readFields(volatile), now);
    this.#bodies = new BodyConcealer(this.#concealer, known, keptTypes);
    this.#keptHeaders = readFields(keptHeaders);
  }

  /**
   * The recording of an exchange. Called once to collect the values, and again when all of them are known.
   * @param leftMs the time that is left at the end of a run.
   * @throws Unkept for an exchange that passes a bound.
   */
  record(captured: Captured, { template, values }: Verdict, leftMs?: number): RecordedExchange {
    this.#concealer.begin(leftMs);
    this.#known.begin();
    const { method, path, query, request, response } = captured;
    const { status, headers } = response;
    for (const [name, value] of request.headers) this.#note(name, value);
    for (const [name, value] of headers) if (name !== 'set-cookie' && isSecretTextName(name)) this.#note(name, value);
    const body = this.#bodies.request(request);
    // The boundary differs at each run, and the parts do without it.
    const types = request.headers.filter(([name]) => name === 'content-type' && body.parts === undefined);
    return {
      method,
      template,
      path: this.#concealer.path(path, new Map([...values].map(([name, value]) => [value, name]))),
      query: query && this.#concealer.query(query),
      request: { headers: this.#headers(types), ...body },
      response: { status, headers: this.#headers(headers), ...this.#bodies.response(response) },
    };
  }

  /** A path without its secrets. */
  path(path: string): string {
    this.#concealer.begin();
    return this.#concealer.path(path);
  }

  #note(name: string, value: string): void {
    for (const secret of secretsOf({ [name]: value })) if (secret !== '') this.#known.note(secret, 'token');
    this.#concealer.named(name, value);
  }

  #headers(headers: readonly Header[]): RecordedHeaders {
    // A map: names like `constructor` are on each object.
    const concealed = new Map<string, string | string[]>();
    for (const [name, value] of headers) {
      if (dropped.has(name)) continue;
      if (!usualHeaders.has(name) && !keptFamily.test(name) && !this.#keptHeaders.has(name)) {
        this.droppedHeaders.add(name);
        continue;
      }
      const isHidden = isSecretTextName(name) && name !== 'set-cookie';
      const text = isHidden ? this.#concealer.hide(value) : this.#concealer.header(name, value);
      const before = concealed.get(name);
      if (Array.isArray(before)) before.push(text);
      else concealed.set(name, before === undefined ? text : [before, text]);
    }
    return Object.fromEntries(concealed);
  }
}
