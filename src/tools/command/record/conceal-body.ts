import { jsonOf, textOf, unpackedForms } from '../../../mock/recordings/body-bytes.js';
import { readMultipart } from '../../../mock/recordings/read-multipart.js';
import {
  type Chunk,
  longestWaitMs,
  mostChunks,
  type RecordedBody,
  type RecordedPart,
} from '../../../mock/recordings/recording-format.js';
import { type Captured, headerOf, type Piece } from './captured.js';
import { encodeAround } from './conceal-address.js';
import type { Concealer } from './concealer.js';
import type { KnownValues } from './known-values.js';
import { applySpans, applyToPieces } from './spans.js';

const streams = /^(?:text\/event-stream|application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json-seq))\b/i;
const jsonType = /^[^;]+[/+]json\s*(?:;|$)/i;
const formType = /^application\/x-www-form-urlencoded\b/i;
const charset = /;\s*charset="?([\w.:-]+)/i;
/** Compressed files in compressed files. */
const mostLayers = 3;

const nothing: RecordedBody = { json: undefined, text: undefined, base64: undefined };

/** The reader of bodies of a run. */
export class BodyConcealer {
  readonly #concealer: Concealer;
  readonly #known: KnownValues;

  constructor(concealer: Concealer, known: KnownValues) {
    this.#concealer = concealer;
    this.#known = known;
  }

  /** The body of a request. */
  request({ headers, body }: Captured['request']): RecordedBody & { readonly parts: RecordedPart[] | undefined } {
    const type = headerOf(headers, 'content-type');
    const parts = readMultipart(body, type);
    if (parts === undefined) return { ...this.#body(body, type, false), parts: undefined };
    return {
      ...nothing,
      parts: parts.map(({ name, filename, type: partType, body: content }) => {
        const secret = this.#concealer.named(name, textOf(content) ?? content.toString('base64'));
        const fields = secret === undefined ? this.#body(content, partType ?? '', false) : { ...nothing, text: secret };
        return {
          name: this.#concealer.value(name),
          filename: filename && this.#concealer.value(filename),
          type: partType && this.#concealer.value(partType),
          ...fields,
        };
      }),
    };
  }

  /** The body of a response; that of a stream in its pieces. */
  response({ headers, body, pieces }: Captured['response']): RecordedBody & { readonly chunks: Chunk[] | undefined } {
    const type = headerOf(headers, 'content-type');
    if (!streams.test(type) || body.length === 0) return { ...this.#body(body, type, true), chunks: undefined };
    return { ...nothing, chunks: this.#chunks(pieces, type) };
  }

  #chunks(pieces: readonly Piece[], type: string): Chunk[] {
    const body = Buffer.concat(pieces.map(({ bytes }) => bytes));
    const text = textOf(body);
    if (text === undefined) {
      const { text: shown } = this.#bytes(body, type);
      if (shown !== undefined) return [{ afterMs: 0, text: shown, base64: undefined }];
      return [{ afterMs: 0, text: undefined, base64: body.toString('base64') }];
    }
    // A character that is split stands in the piece of its last byte.
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const texts = pieces.map(({ bytes }, index) => decoder.decode(bytes, { stream: index < pieces.length - 1 }));
    const shown = applyToPieces(texts, this.#concealer.body(text));
    let waited = 0;
    if (shown.length > mostChunks) return [{ afterMs: 0, text: shown.join(''), base64: undefined }];
    return shown.flatMap((one, index): Chunk[] => {
      waited += pieces[index]?.afterMs ?? 0;
      if (one === '') return [];
      const afterMs = Math.min(waited, longestWaitMs);
      waited = 0;
      return [{ afterMs, text: one, base64: undefined }];
    });
  }

  /** @param isExact true if JSON must come back with the numbers as they were written. */
  #body(body: Buffer, type: string, isExact: boolean): RecordedBody {
    if (body.length === 0) return nothing;
    const text = textOf(body);
    if (text === undefined) return this.#bytes(body, type);
    if (formType.test(type)) return { ...nothing, text: this.#form(text) };
    const value = jsonOf(text);
    const isJson = value !== undefined && (jsonType.test(type) || (!isExact && Object(value) === value));
    if (isJson && (!isExact || isLossless(text, value))) return { ...nothing, json: this.#concealer.json(value) };
    return { ...nothing, text: applySpans(text, this.#concealer.body(text)) };
  }

  /** A form, whose other pairs stay as they were written. */
  #form(text: string): string {
    const pairs = text.split('&').map((pair) => concealPair(pair, this.#concealer, this.#known));
    return pairs.join('&');
  }

  /** Bytes: in base64, or as a whole as one reference if they hold a secret. */
  #bytes(body: Buffer, type: string): RecordedBody {
    return this.#holdsSecret(body, type)
      ? { ...nothing, text: this.#known.reference(body.toString('base64'), 'bytes') }
      : { ...nothing, base64: body.toString('base64') };
  }

  #holdsSecret(body: Buffer, type: string, layer = 0): boolean {
    const latin1 = body.toString('latin1');
    // The names of fields count in text only, which other bytes resemble by chance.
    const [, label = ''] = charset.exec(type) ?? [];
    const declared = /^text\/|[/+](?:xml|json)\b/i.test(type) || label !== '' ? decodeAs(body, label) : undefined;
    if (declared !== undefined && this.#concealer.body(declared).length > 0) return true;
    if ([latin1, ...utf16Texts(body)].some(this.#known.quotesSecret)) return true;
    if (layer >= mostLayers) return false;
    return unpackedForms(body).some((unpacked) => {
      const text = textOf(unpacked);
      return text === undefined ? this.#holdsSecret(unpacked, '', layer + 1) : this.#concealer.body(text).length > 0;
    });
  }
}

/** Bytes as UTF-16 from each of two offsets. Of copies: Node reads beyond an odd length of bytes at an odd address. */
const utf16Texts = (body: Buffer): string[] =>
  [0, 1].flatMap((from) => {
    const even = Uint8Array.from(body.subarray(from, from + ((body.length - from) & ~1)));
    return ['utf-16le', 'utf-16be'].map((label) => decodeAs(Buffer.from(even.buffer), label));
  });

/** The text of bytes in a charset; Latin-1 if it is unknown. */
function decodeAs(body: Buffer, label: string): string {
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return body.toString('latin1');
  }
}

/** A JSON text without white space and without its strings, which may be escaped in several ways. */
function withoutStrings(json: string): string {
  let left = '';
  for (let at = 0; at < json.length; at += 1) {
    if (json[at] === '"') {
      at += 1;
      while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
      left += '"';
    } else if (!/\s/.test(json[at] ?? '')) left += json[at];
  }
  return left;
}

/** True if a value has all that its text has: large numbers and `1.0` would change. */
function isLossless(text: string, value: unknown): boolean {
  try {
    return withoutStrings(text) === withoutStrings(JSON.stringify(value));
  } catch {
    return false;
  }
}

const decodePart = (text: string): string => new URLSearchParams(`a=${text.replaceAll('&', '%26')}`).get('a') ?? '';

/** A pair of a query or a form, as it was written unless it changes. */
export function concealPair(pair: string, concealer: Concealer, known: KnownValues): string {
  const at = pair.indexOf('=');
  const [rawName, rawValue] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
  const [name, value] = [decodePart(rawName), decodePart(rawValue)];
  const shownName = concealer.value(name);
  const shown =
    concealer.named(name, value) ?? concealer.opaque(value) ?? known.ofWhole(value) ?? concealer.value(value);
  const left = shownName === name ? rawName : encodeAround(shownName);
  if (at < 0) return left;
  return `${left}=${shown === value ? rawValue : encodeAround(shown)}`;
}
