import { deepFinder, isSearchable } from '../../../base/secrets/finder.js';
import { spellingsOf } from '../../../base/secrets/spellings.js';
import { unpackedForms } from '../../../mock/recordings/body-bytes.js';
import { type ReferenceKind, readReference, splitReferences } from '../../../mock/recordings/references.js';
import { Unkept } from './exact-json.js';
import { TextIndex } from './text-index.js';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;
/** The number of characters of a secret that count, because only these are searched for. */
const longest = 8_192;
/** The most characters of all secrets of a run; each costs as much as 64 more. */
const mostSecret = 1_048_576;
const perSecret = 64;
const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/;

/** The kind of the reference for a value, by its form. */
export function kindOf(value: string | number): ReferenceKind {
  if (typeof value === 'number') return 'number';
  if (uuid.test(value)) return 'uuid';
  if (time.test(value)) return 'time';
  return date.test(value) ? 'date' : 'text';
}

interface KnownValue {
  readonly value: string;
  kind: ReferenceKind;
  /** True for a value that differs at each run. A number below a secret name may equal others by chance. */
  isOfRun: boolean;
  reference: string | undefined;
}

/** Tells the number 7 from the text "7". */
const keyOf = (value: string, kind: ReferenceKind): string => (kind === 'number' ? `number ${value}` : value);

/**
 * The values of a run that references replace: secrets, and values that differ at each run. They are collected from all
 * exchanges first, so that a value that a late exchange shows to be a secret is replaced in earlier ones, too.
 */
export class KnownValues {
  readonly #entries = new Map<string, KnownValue>();
  readonly #last = new Map<ReferenceKind, number>();
  #isCollecting = true;
  #searched = new TextIndex();
  /** True for a text or bytes that hold a known secret, in any encoding. */
  holdsSecret: (data: string | Buffer) => boolean = () => false;

  #secretLength = 0;
  #mostSecret = mostSecret;

  /** Begins an exchange: one alone brings at most a quarter of the secrets of a run. */
  begin(): void {
    this.#mostSecret = Math.min(mostSecret, this.#secretLength + mostSecret / 4);
  }

  /** Ends the collection: from here on, references get their numbers, and values are searched for in texts. */
  number(mostBytes: number): void {
    this.#isCollecting = false;
    const long = [...this.#entries.values()].filter(({ kind, value }) => kind !== 'number' && isSearchable(value));
    const secrets = long.flatMap(({ kind, value }) => (kind === 'token' ? value : []));
    this.#searched = new TextIndex(
      long.flatMap(({ kind, value }) =>
        (kind === 'token' && value.length <= longest ? spellingsOf(value) : [value]).map((spelling) => [
          spelling,
          value,
        ]),
      ),
    );
    this.holdsSecret = deepFinder(secrets, (bytes, isFile) => unpackedForms(bytes, mostBytes, isFile));
  }

  /** Replaces known values, and text that looks like a reference but came from the service. */
  replaceIn(text: string): string {
    const parts = splitReferences(text).map((part, index) => {
      if (index % 2 === 1) return this.#isCollecting && part.endsWith(':0>') ? part : this.reference(part, 'text');
      return this.#searched.replaceIn(part, (value, isWord) => {
        const kind = this.#entries.get(value)?.kind ?? 'text';
        // A value of no certain form is replaced only as a whole word.
        return kind === 'text' && !isWord ? undefined : this.reference(value, kind);
      });
    });
    return parts.join('');
  }

  /** Leaves the numbers up to that of this reference out. */
  reserve(reference: string): void {
    const { kind, number } = readReference(reference);
    this.#last.set(kind, Math.max(number, this.#last.get(kind) ?? 0));
  }

  /** Gives a value the reference that it has in a file already. */
  adopt(reference: string, value: string): void {
    this.reserve(reference);
    const { kind } = readReference(reference);
    const key = keyOf(value, kind);
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, { value, kind, isOfRun: true, reference });
    else entry.reference ??= reference;
  }

  /** Adds a value; secret once means secret everywhere. Throws Unkept for too many secrets while collecting. */
  note(value: string, kind: ReferenceKind, isOfRun = kind !== 'token'): KnownValue {
    const key = keyOf(value, kind);
    const entry = this.#entries.get(key) ?? { value, kind, isOfRun, reference: undefined };
    if (!this.#entries.has(key) || (kind === 'token' && entry.kind !== kind)) {
      const length = kind === 'token' ? Math.min(value.length, longest) + perSecret : 0;
      if (this.#isCollecting && this.#secretLength + length > this.#mostSecret)
        throw new Unkept(`it has more secrets than a run searches for (${mostSecret} characters)`);
      this.#secretLength += length;
      this.#entries.set(key, entry);
    }
    entry.isOfRun ||= isOfRun;
    if (kind === 'token') entry.kind = kind;
    return entry;
  }

  /** The reference for a value; without a number while values are collected. */
  reference(value: string, kind: ReferenceKind, isOfRun?: boolean): string {
    const entry = this.note(value, kind, isOfRun);
    if (this.#isCollecting) return `<${kind}:0>`;
    if (entry.reference === undefined) {
      const next = (this.#last.get(entry.kind) ?? 0) + 1;
      this.#last.set(entry.kind, next);
      entry.reference = `<${entry.kind}:${next}>`;
    }
    return entry.reference;
  }

  /** The reference for a whole segment of a path or value of a query, if it is known. */
  ofWhole(value: string): string | undefined {
    const all = [this.#entries.get(value), this.#entries.get(keyOf(value, 'number'))];
    const entry = all.find((entry) => entry !== undefined && (entry.isOfRun || isSearchable(value)));
    return entry && this.reference(value, entry.kind);
  }

  /** The reference for a whole value of JSON that is known and long enough not to stand there by chance. */
  ofLong(value: string | number): string | undefined {
    const text = String(value);
    const entry = this.#entries.get(typeof value === 'number' ? keyOf(text, 'number') : text);
    return entry !== undefined && isSearchable(text) ? this.reference(text, entry.kind) : undefined;
  }
}
