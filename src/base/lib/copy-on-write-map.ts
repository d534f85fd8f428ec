import { hashOf } from './hash.js';

/** A part that grows beyond this many names is split in two. */
const mostInPart = 512;
/** There are at most 2 to this power of parts; beyond that, parts grow. */
const deepest = 16;

/** The names whose hashes end in the same bits. */
interface Part<V> {
  /** The map that may write to this part; other maps copy the part first. */
  readonly owner: object;
  /** The number of those bits. */
  readonly depth: number;
  readonly values: Map<string, V>;
}

/**
 * A Map in small parts (extendible hashing). Cloning is free: both maps share all parts, and a write copies the part
 * that it changes. No write takes long, however large the map is: a Map of a million names would be rehashed as a
 * whole when it grows, here only one part is.
 */
export class CopyOnWriteMap<V> {
  #owner = {};
  /** Indexed by the last bits of the hash. A part with fewer bits has several entries. */
  #parts: readonly Part<V>[] = [{ owner: this.#owner, depth: 0, values: new Map() }];

  /** The hash can be given if it is needed elsewhere, too. */
  get(name: string, hash?: number): V | undefined {
    return this.#part(name, hash).values.get(name);
  }

  set(name: string, value: V): void {
    this.#write(this.#part(name), name, value);
  }

  /** Removes a name. Returns false if it was not there. */
  delete(name: string): boolean {
    const part = this.#part(name);
    return part.values.has(name) && this.#writable(part).values.delete(name);
  }

  /** Replaces a value by what `next` returns for it, or removes it for undefined; the name is looked up once. */
  update(name: string, next: (value: V | undefined) => V | undefined): void {
    const part = this.#part(name);
    const before = part.values.get(name);
    const after = next(before);
    if (after === before) return;
    if (after === undefined) this.#writable(part).values.delete(name);
    else this.#write(part, name, after);
  }

  clone(): CopyOnWriteMap<V> {
    const copy = new CopyOnWriteMap<V>();
    copy.#parts = this.#parts;
    // Shared from now on, so neither map may write to these parts.
    this.#owner = {};
    return copy;
  }

  /** All names and values. The map must not be written to while they are read. */
  *entries(): Generator<[name: string, value: V]> {
    for (const { values } of new Set(this.#parts)) yield* values;
  }

  /** All names, sorted by code unit. */
  names(): string[] {
    return Array.from(this.entries(), ([name]) => name).sort();
  }

  #part(name: string, hash?: number): Part<V> {
    const { length } = this.#parts;
    // The cast: the number of parts is a power of two, so there is one for each ending.
    return this.#parts[length === 1 ? 0 : (hash ?? hashOf(name)) & (length - 1)] as Part<V>;
  }

  #write(found: Part<V>, name: string, value: V): void {
    const part = this.#writable(found);
    part.values.set(name, value);
    if (part.values.size > mostInPart && part.depth < deepest) this.#split(part);
  }

  /** A part for a write, copied if another map shares it. */
  #writable(part: Part<V>): Part<V> {
    if (part.owner === this.#owner) return part;
    const copy = { ...part, owner: this.#owner, values: new Map(part.values) };
    this.#replace(part, copy, copy);
    return copy;
  }

  #split(part: Part<V>): void {
    const bit = 1 << part.depth;
    const half = () => ({ ...part, depth: part.depth + 1, values: new Map<string, V>() });
    const [zeros, ones] = [half(), half()];
    for (const [name, value] of part.values) (hashOf(name) & bit ? ones : zeros).values.set(name, value);
    if (bit === this.#parts.length) this.#parts = [...this.#parts, ...this.#parts];
    this.#replace(part, zeros, ones);
  }

  /** Replaces a part by its halves: hashes with the next bit set are in `ones`. Clones keep their own list. */
  #replace(part: Part<V>, zeros: Part<V>, ones: Part<V>): void {
    const bit = 1 << part.depth;
    this.#parts = this.#parts.map((current, i) => (current !== part ? current : i & bit ? ones : zeros));
  }
}
