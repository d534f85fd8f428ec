import { sha256, textOf } from '../../../mock/recordings/body-bytes.js';
import { readMultipart } from '../../../mock/recordings/read-multipart.js';
import {
  type Chunk,
  longestWaitMs,
  mostChunks,
  noBody,
  type RecordedBody,
  type RecordedPart,
} from '../../../mock/recordings/recording-format.js';
import { isReference } from '../../../mock/recordings/references.js';
import { type Captured, headerOf, type Piece } from './captured.js';
import type { Concealer } from './concealer.js';
import { isMarked, parseExactly, writeChanged } from './exact-json.js';
import type { KnownValues } from './known-values.js';

const events = /^text\/event-stream\b/i;
const streams = /^(?:text\/event-stream|application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|json-seq))\b/i;
const jsonType = /^[^;]+[/+]json\s*(?:;|$)/i;
const formType = /^application\/x-www-form-urlencoded\b/i;
const textType = /^text\/|^application\/x-www-form|^[^;]+[/+](?:json|xml|yaml|x-yaml|javascript|graphql)\s*(?:;|$)/i;

/** The text of bytes in the charset of a content type, or in Latin-1, for its secrets only. */
function looselyRead(body: Buffer, type: string): string {
  const [, label = 'latin1'] = /;\s*charset="?([\w.:-]+)/i.exec(type) ?? [];
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return body.toString('latin1');
  }
}

/** The writer of bodies of a run: of known forms by their values, of others the length and a digest. */
export class BodyConcealer {
  readonly #concealer: Concealer;
  readonly #known: KnownValues;
  readonly #keptTypes: readonly string[];

  /** @param keptTypes content types whose bytes are kept, like `image/png` or `image/*`. */
  constructor(concealer: Concealer, known: KnownValues, keptTypes: readonly string[]) {
    this.#concealer = concealer;
    this.#known = known;
    this.#keptTypes = keptTypes.map((type) => type.toLowerCase());
  }

  /** The body of a request. */
  request({ headers, body }: Captured['request']): RecordedBody & { readonly parts: RecordedPart[] | undefined } {
    const type = headerOf(headers, 'content-type');
    const parts = readMultipart(body, type);
    if (parts === undefined) return { ...this.#body(body, type, false), parts: undefined };
    return {
      ...noBody,
      parts: parts.map(({ name, filename, type: partType, body: content }) => {
        const text = textOf(content) ?? content.toString('base64');
        const safeText = this.#concealer.named(name, text, 'body');
        const isNamed = isReference(safeText);
        return {
          name: this.#concealer.text(name, 'word'),
          filename: filename && this.#concealer.text(filename, 'word'),
          type: partType && this.#concealer.text(partType, 'word'),
          ...(isNamed ? { ...noBody, text: safeText } : this.#body(content, partType ?? '', false)),
        };
      }),
    };
  }

  /** The body of a response; that of a stream in its lines or events. */
  response({ headers, body, pieces }: Captured['response']): RecordedBody & { readonly chunks: Chunk[] | undefined } {
    const type = headerOf(headers, 'content-type');
    const text = streams.test(type) && body.length > 0 ? textOf(body) : undefined;
    if (text === undefined) return { ...this.#body(body, type, true), chunks: undefined };
    return { ...noBody, chunks: this.#chunks(text, pieces, events.test(type)) };
  }

  /** The lines or events of a stream, each with the piece in which it ended. */
  #chunks(text: string, pieces: readonly Piece[], isEvents: boolean): Chunk[] {
    const units = text.match(isEvents ? /[\s\S]+?(?:\n\r?\n|$)/g : /[^\n]*\n|[^\n]+$/g) ?? [];
    const safeUnits = units.map((unit) => (isEvents ? this.#event(unit) : this.#concealer.text(unit, 'body')));
    const joined = safeUnits.join('').replace(/[\r\n]+(?:data:[ ]?)?/g, '');
    if (this.#known.holdsSecret(joined)) return [{ afterMs: 0, text: this.#concealer.hide(text), base64: undefined }];
    const chunks: Chunk[] = [];
    let [at, end, waited, next] = [0, 0, 0, 0];
    for (const { afterMs, bytes } of pieces) {
      end += bytes.length;
      waited += afterMs;
      let piece = '';
      for (; next < units.length; next += 1) {
        const length = Buffer.byteLength(units[next] ?? '');
        if (at + length > end) break;
        at += length;
        piece += safeUnits[next];
      }
      if (piece === '') continue;
      chunks.push({ afterMs: Math.min(waited, longestWaitMs), text: piece, base64: undefined });
      waited = 0;
    }
    return chunks.length > mostChunks ? [{ afterMs: 0, text: safeUnits.join(''), base64: undefined }] : chunks;
  }

  /** An event; its data may be spread over lines. */
  #event(event: string): string {
    const data = Array.from(event.matchAll(/^data:[ ]?(.*?)\r?$/gm), ([, line = '']) => line);
    const whole = data.join('\n');
    const safeData = this.#known.holdsSecret(data.join(''))
      ? this.#concealer.hide(whole)
      : this.#concealer.text(whole, 'body');
    let isFirst = true;
    return event.replace(/[^\n]+/g, (line) => {
      const [, field = '', content = ''] = /^(data:[ ]?|[^:]*:[ ]?)(.*?)\r?$/s.exec(line) ?? [];
      if (!/^data:/.test(field)) return field + this.#concealer.text(field === '' ? line : content, 'body');
      if (safeData === whole) return line;
      const written = isFirst ? safeData.replace(/^/gm, 'data: ') : undefined;
      isFirst = false;
      return written ?? ':';
    });
  }

  /** @param isExact true if JSON must come back with the numbers as they were written. */
  #body(body: Buffer, type: string, isExact: boolean): RecordedBody {
    if (body.length === 0) return noBody;
    const isText = type === '' || textType.test(type) || streams.test(type);
    const text = isText ? textOf(body) : undefined;
    if (text === undefined) return this.#bytes(body, type, isText);
    if (formType.test(type)) return { ...noBody, text: this.#concealer.query(text) };
    if (jsonType.test(type) || (!isExact && /^\s*[[{]/.test(text))) {
      const value = parseExactly(text);
      const safeValue = this.#concealer.json(value);
      if (isMarked(value)) return { ...noBody, text: writeChanged(safeValue, value, text) };
      if (value !== undefined) return { ...noBody, json: safeValue };
    }
    return { ...noBody, text: this.#concealer.text(text, 'body') };
  }

  /** Bytes of which the form is not known. They are kept if the user says so, and they hold no known secret. */
  #bytes(body: Buffer, type: string, isText: boolean): RecordedBody {
    // Learns the secrets of a text in another charset, too.
    if (isText) this.#concealer.text(looselyRead(body, type), 'body');
    const [name = ''] = type.toLowerCase().split(/[\s;]/);
    const isKept = this.#keptTypes.some(
      (type) => type === name || (type.endsWith('/*') && name.startsWith(type.slice(0, -1))),
    );
    if (isKept && !this.#known.holdsSecret(body)) return { ...noBody, base64: body.toString('base64') };
    return { ...noBody, bytes: { length: body.length, sha256: sha256(body) } };
  }
}
