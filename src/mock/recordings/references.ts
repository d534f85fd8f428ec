// References stand for values that differ at each run: `<uuid:1>`. The same value has the same reference in all files
// of a folder, and a reference stands for one value in each playback.

/** The kinds of references: the form of the values that they stand for. */
export type ReferenceKind = 'token' | 'text' | 'uuid' | 'time' | 'date' | 'number' | 'bytes';

const reference = /(<(?:token|text|uuid|time|date|number|bytes):\d{1,9}>)/;
const onlyNumber = /^<number:\d{1,9}>$/;
/** A number in the text of a JSON value: its reference stands between quotes. */
const quoted = /"(<number:\d{1,9}>)"/g;

/** The fixed texts of a pattern at even places, and its references at odd ones. */
export const splitReferences = (pattern: string): string[] => pattern.split(reference);

/** True for a text that holds a reference. */
export const hasReference = (text: string): boolean => reference.test(text);

/** True for a reference and nothing else. */
export const isReference = (text: string): boolean => /^<[a-z]+:\d+>$/.test(text) && hasReference(text);

/** The kind and the number of a reference. */
export function readReference(text: string): { readonly kind: ReferenceKind; readonly number: number } {
  const [kind = '', number] = text.slice(1, -1).split(':');
  // The cast: the pattern has these kinds only.
  return { kind: kind as ReferenceKind, number: Number(number) };
}

/** The number 7 and the text 7 have references of their own. */
const keyOf = (name: string, value: string): string => (onlyNumber.test(name) ? `number ${value}` : value);

/** A value for a reference that no request has set before an answer needs it. */
function exampleOf(text: string): string {
  const { kind, number } = readReference(text);
  const at = new Date(Date.UTC(2000, 0, 1) + number * 1_000);
  if (kind === 'uuid') return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  if (kind === 'time') return at.toISOString();
  if (kind === 'date') return at.toUTCString();
  return kind === 'number' ? String(number) : `${kind}-${number}`;
}

/** The values that references stand for. */
export class Bindings {
  readonly #values: Map<string, string>;
  /** The reference of each value, by its key. */
  readonly #references: Map<string, string>;

  constructor(from?: Bindings) {
    this.#values = new Map(from === undefined ? [] : from.#values);
    this.#references = new Map(from === undefined ? [] : from.#references);
  }

  /** The references with their values. */
  get entries(): Iterable<readonly [reference: string, value: string]> {
    return this.#values;
  }

  /** The number of references that have values. */
  get size(): number {
    return this.#values.size;
  }

  /** False if the reference stands for another value, or the value has another reference. */
  bind(name: string, value: string): boolean {
    const boundValue = this.#values.get(name);
    if (boundValue !== undefined) return boundValue === value;
    const key = keyOf(name, value);
    if (this.#references.has(key)) return false;
    this.#values.set(name, value);
    this.#references.set(key, name);
    return true;
  }

  /** Compares a text with a pattern, and binds the pattern's references from left to right. */
  match(pattern: string, text: string): boolean {
    const parts = splitReferences(pattern);
    if (parts.length === 1) return pattern === text;
    let at = 0;
    // A reference that has no value yet: it takes the text up to the next fixed one.
    let open: string | undefined;
    for (const [index, part] of parts.entries()) {
      const fixed = index % 2 === 0 ? part : this.#values.get(part);
      if (fixed === undefined) {
        if (open !== undefined) return false;
        open = part;
        continue;
      }
      if (fixed === '') continue;
      const isLast = parts.slice(index + 1).every((part) => part === '');
      const end = open === undefined ? at : isLast ? text.length - fixed.length : text.indexOf(fixed, at + 1);
      if (end < at || !text.startsWith(fixed, end)) return false;
      if (open !== undefined && (end === at || !this.bind(open, text.slice(at, end)))) return false;
      open = undefined;
      at = end + fixed.length;
    }
    if (open === undefined) return at === text.length;
    return at < text.length && this.bind(open, text.slice(at));
  }

  /** Compares a value of JSON that is not an object or an array. */
  matchScalar(pattern: unknown, value: unknown): boolean {
    if (typeof pattern !== 'string') return Object.is(pattern, value);
    if (typeof value === 'number') return onlyNumber.test(pattern) && this.match(pattern, String(value));
    return typeof value === 'string' && this.match(pattern, value);
  }

  #valueOf(name: string): string {
    const boundValue = this.#values.get(name);
    if (boundValue !== undefined) return boundValue;
    const value = exampleOf(name);
    this.#values.set(name, value);
    this.#references.set(keyOf(name, value), name);
    return value;
  }

  /** Replaces references by their values. A reference without a value gets an example, which it keeps. */
  fill(text: string): string {
    const parts = splitReferences(text.replace(quoted, (all, name: string) => (text === all ? all : name)));
    return parts.map((part, index) => (index % 2 === 0 ? part : this.#valueOf(part))).join('');
  }

  /** Does the same as `fill` for a JSON value; a reference to a number becomes a number. */
  fillJson(value: unknown): unknown {
    if (typeof value === 'string') return onlyNumber.test(value) ? Number(this.#valueOf(value)) : this.fill(value);
    if (Array.isArray(value)) return value.map((item) => this.fillJson(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.fill(name), this.fillJson(item)]));
  }
}
