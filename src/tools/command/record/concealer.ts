import { isObject } from '../../../base/lib/values.js';
import { hiddenInBody, hiddenInText } from '../../../base/secrets/hidden-places.js';
import { isSecretName, isSecretTextName } from '../../../base/secrets/names.js';
import { isOpaqueWord } from '../../../base/secrets/token-form.js';
import { jsonOf, textOf } from '../../../mock/recordings/body-bytes.js';
import { splitReferences } from '../../../mock/recordings/references.js';
import type { Fields } from './fields.js';
import { type KnownValues, kindOf } from './known-values.js';
import { deepest } from './nesting.js';
import { applySpans, joinSpans, type Span } from './spans.js';

/** Base64 inside base64. */
const mostLayers = 3;
const base64Word = /[\w+/-]{16,}={0,2}/g;
/** A line of JSON; in JSON sequences a separator stands in front of it. */
const jsonLine = /^((?:data:[ ]?|\p{Cc})?)([[{].*?)\r?$/u;

/** The text that a word encodes in base64; undefined if it encodes none. */
function decodeWord(word: string): string | undefined {
  const text = textOf(Buffer.from(word, 'base64'));
  return text === undefined || text === '' || /[^\P{Cc}\t\r\n]/u.test(text) ? undefined : text;
}

/** The text without its line breaks, and without the field names of events: a value may be split over lines. */
const unwrap = (text: string): string => text.replace(/[\r\n]+(?:data:[ ]?)?/g, '');

interface Line {
  readonly from: number;
  readonly to: number;
  /** The line with its spans replaced, without the field name of an event. */
  readonly shown: string;
}

/** The lines of a text that are not empty; spans of several lines make one of them. */
function linesOf(text: string, spans: readonly Span[]): Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const [begin, stop] = [at, at + line.length];
    at = stop + 1;
    const inside = spans.filter((span) => span.from < stop && span.to > begin);
    const from = Math.min(begin, ...inside.map((span) => span.from));
    const to = Math.max(stop, ...inside.map((span) => span.to));
    const shifted = inside.map((span) => ({ ...span, from: span.from - from, to: span.to - from }));
    const shown = unwrap(`\n${applySpans(text.slice(from, to), shifted)}`);
    if (shown !== '') lines.push({ from, to, shown });
  }
  return lines;
}

/** Where a value of JSON stands: its field, its pointer, and how many texts of JSON are around it. */
interface Place {
  readonly name: string;
  readonly pointer: string;
  readonly isBelowSecret: boolean;
  readonly layer: number;
}

const bodyPlace: Place = { name: '', pointer: '', isBelowSecret: false, layer: 0 };

/** Replaces secrets, and values that differ at each run, by references. */
export class Concealer {
  readonly #known: KnownValues;
  readonly #secret: Fields;
  readonly #volatile: Fields;

  constructor(known: KnownValues, secret: Fields, volatile: Fields) {
    this.#known = known;
    this.#secret = secret;
    this.#volatile = volatile;
  }

  /** The reference of a secret. */
  token(value: string): string {
    return this.#known.reference(value, 'token');
  }

  /** The reference of a named value: of a query, a form, a header or a part; undefined if its name says nothing. */
  named(name: string, value: string): string | undefined {
    if (value === '') return undefined;
    if (this.#secret.has(name) || isSecretTextName(name)) return this.token(value);
    return this.#volatile.has(name) ? this.#known.reference(value, kindOf(value)) : undefined;
  }

  /** The reference of a word that looks like a key, where keys are usual: in addresses and headers. */
  opaque(word: string): string | undefined {
    return isOpaqueWord(word) ? this.token(word) : undefined;
  }

  /** A header, a string of JSON, a value of a query. */
  value(text: string, layer = 0): string {
    return applySpans(text, this.#spans(text, false, layer));
  }

  /** The spans of a text body. Lines that are JSON, as in streams, are read as JSON. */
  body(text: string): Span[] {
    const spans: Span[] = [];
    let [at, open] = [0, 0];
    const flush = (end: number): void => {
      for (const span of this.#spans(text.slice(open, end), true))
        spans.push({ ...span, from: span.from + open, to: span.to + open });
    };
    for (const line of text.split('\n')) {
      const [, prefix = '', json] = jsonLine.exec(line) ?? [];
      const value = json === undefined ? undefined : jsonOf(json);
      const end = at + line.length + 1;
      if (json !== undefined && Object(value) === value) {
        flush(at);
        const from = at + prefix.length;
        const shown = this.#jsonText(value, json);
        if (shown !== undefined) spans.push({ from, to: from + json.length, text: shown });
        open = end;
      }
      at = end;
    }
    if (open < text.length) flush(text.length);
    return this.#hideQuotes(text, spans);
  }

  /** A value of JSON; undefined if it is as it was. */
  #jsonText(value: unknown, text: string, layer = 0): string | undefined {
    try {
      const shown = JSON.stringify(this.json(value, { ...bodyPlace, layer }));
      return shown === JSON.stringify(value) ? undefined : shown;
    } catch {
      // Nested too deeply.
      return this.token(text);
    }
  }

  /** A copy of a JSON value. */
  json(value: unknown, place = bodyPlace): unknown {
    const { name, pointer, isBelowSecret, layer } = place;
    const isSecret = isBelowSecret || isSecretName(name) || this.#secret.has(name, pointer);
    if (typeof value === 'string') {
      if (value === '') return value;
      if (isSecret || isSecretTextName(name)) return this.token(value);
      if (this.#volatile.has(name, pointer)) return this.#known.reference(value, kindOf(value));
      return this.#known.ofLong(value) ?? this.value(value, layer);
    }
    if (typeof value === 'number') {
      const isReplaced = isSecret || this.#volatile.has(name, pointer);
      return isReplaced
        ? this.#known.reference(String(value), 'number', !isSecret)
        : (this.#known.ofLong(value) ?? value);
    }
    // In a string of JSON: a body is not kept.
    if (pointer.length > deepest && pointer.split('/').length > deepest) throw new RangeError('nested too deeply');
    if (Array.isArray(value))
      return value.map((item, index) =>
        this.json(item, { name, pointer: `${pointer}/${index}`, isBelowSecret: isSecret, layer }),
      );
    if (!isObject(value)) return value;
    const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        this.#known.quotesSecret(key) || hiddenInText(key).length > 0 ? this.token(key) : key,
        this.json(item, { name: key, pointer: `${pointer}/${escaped(key)}`, isBelowSecret: isSecret, layer }),
      ]),
    );
  }

  #spans(text: string, isBody: boolean, layer = 0): Span[] {
    if (text === '') return [];
    const whole = (shown: string): Span[] => [{ from: 0, to: text.length, text: shown }];
    if (layer < mostLayers && /^\s*[[{]/.test(text)) {
      const value = jsonOf(text);
      if (Object(value) === value) {
        const shown = this.#jsonText(value, text, layer + 1);
        return shown === undefined ? [] : whole(shown);
      }
    }
    const hide = (from: number, to: number): Span => ({ from, to, text: this.token(text.slice(from, to)) });
    const spans = (isBody ? hiddenInBody : hiddenInText)(text).map(([from, to]) => hide(from, to));
    spans.push(...this.#ownReferences(text), ...this.#namedPairs(text, hide), ...this.#encoded(text, layer, hide));
    spans.push(...this.#ofRun(text));
    if (this.#known.quotesSecret(text)) spans.push(...this.#spelled(text));
    return this.#hideQuotes(text, spans);
  }

  /** The values in a text that differ at each run; those of no certain form only as whole words. */
  #ofRun(text: string): Span[] {
    return this.#known.volatile.find(text).flatMap(({ from, to, text: value }): Span[] => {
      const isPart = kindOf(value) === 'text' && /\w/.test((text[from - 1] ?? '') + (text[to] ?? ''));
      return isPart ? [] : [{ from, to, text: this.#known.ofWhole(value) ?? value }];
    });
  }

  /** Text that looks like a reference, but came from the service. */
  #ownReferences(text: string): Span[] {
    let at = 0;
    return splitReferences(text).flatMap((part, index): Span[] => {
      const from = at;
      at += part.length;
      return index % 2 === 0 ? [] : [{ from, to: at, text: this.#known.reference(part, 'text') }];
    });
  }

  /** The values behind the names of secret fields: `name=value`, `"name": "value"`, `<name>value`. */
  #namedPairs(text: string, hide: (from: number, to: number) => Span): Span[] {
    if (this.#secret.names.length === 0) return [];
    const separator = /[\\"'\]]{0,4}\s{0,8}[=:>]\s{0,8}/y;
    const value = /"(?:[^"\\]|\\.)*"?|[^&\r\n<]*/sy;
    const spans: Span[] = [];
    for (const { 0: name, index } of text.matchAll(/[\w.-]+/g)) {
      separator.lastIndex = index + name.length;
      if (!this.#secret.has(name) || !separator.test(text)) continue;
      value.lastIndex = separator.lastIndex;
      const from = separator.lastIndex;
      value.test(text);
      if (value.lastIndex > from) spans.push(hide(from, value.lastIndex));
    }
    return spans;
  }

  /** Words in base64 whose text holds a secret. */
  #encoded(text: string, layer: number, hide: (from: number, to: number) => Span): Span[] {
    if (layer >= mostLayers) return [];
    return [...text.matchAll(base64Word)].flatMap(({ 0: word, index }) => {
      const decoded = decodeWord(word);
      if (decoded === undefined || this.#spans(decoded, true, layer + 1).length === 0) return [];
      return [hide(index, index + word.length)];
    });
  }

  /** The secrets in a text, in their usual spellings. */
  #spelled(text: string): Span[] {
    return this.#known.secrets.find(text).map((span) => ({ ...span, text: this.token(span.text) }));
  }

  /** Hides the lines that still quote a secret, or the whole text if its lines do not tell where. */
  #hideQuotes(text: string, given: readonly Span[]): Span[] {
    const whole = (from: number, to: number): string => this.token(text.slice(from, to));
    const spans = joinSpans(given, whole);
    const quotes = (shown: string): boolean =>
      this.#known.quotesSecret(shown) || (shown.includes('\n') && this.#known.quotesSecret(unwrap(shown)));
    if (!quotes(applySpans(text, spans))) return spans;
    const lines = linesOf(text, spans);
    for (const [index, { from, to, shown }] of lines.entries()) {
      // Also with its neighbours, because base64 is often folded.
      const near = [index - 1, index + 1].map((at) => lines[at]?.shown ?? '');
      const [before = '', after = ''] = near;
      if ([shown, before + shown, shown + after].some(this.#known.quotesSecret))
        spans.push({ from, to, text: whole(from, to) });
    }
    const joined = joinSpans(spans, whole);
    return quotes(applySpans(text, joined)) ? [{ from: 0, to: text.length, text: whole(0, text.length) }] : joined;
  }
}
