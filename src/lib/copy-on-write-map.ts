/** Values by name; in a map above another one, undefined says that what is below is gone. */
type Layer<V> = ReadonlyMap<string, V | undefined>;

/** A map above another one is copied before a write while it is no larger than this part of the one below. */
const smallPart = 1 / 8;

/**
 * A Map that costs nothing to clone. After a clone, writes go into a small map above the one that is shared: whoever goes back
 * to a large state again and again, and changes a little of it each time, never copies it. Many changes copy it once.
 */
export class CopyOnWriteMap<V> {
  #below: Layer<V> | undefined;
  #above: Map<string, V | undefined>;
  #shared = false;

  constructor(above = new Map<string, V | undefined>(), below?: Layer<V>) {
    this.#above = above;
    this.#below = below;
  }

  get(name: string): V | undefined {
    const value = this.#above.get(name);
    return value !== undefined || this.#below === undefined || this.#above.has(name) ? value : this.#below.get(name);
  }

  set(name: string, value: V): void {
    this.#own().set(name, value);
  }

  delete(name: string): boolean {
    if (this.get(name) === undefined) return false;
    const above = this.#own();
    if (this.#below === undefined) above.delete(name);
    else above.set(name, undefined);
    return true;
  }

  clone(): CopyOnWriteMap<V> {
    const copy = new CopyOnWriteMap(this.#above, this.#below);
    this.#shared = copy.#shared = true;
    return copy;
  }

  /** A map of all values, which the caller may keep. */
  all(): Map<string, V> {
    const all = new Map<string, V>();
    for (const layer of [this.#below ?? [], this.#above]) {
      for (const [name, value] of layer) {
        if (value === undefined) all.delete(name);
        else all.set(name, value);
      }
    }
    return all;
  }

  /** The map for a write, which nobody else has. */
  #own(): Map<string, V | undefined> {
    if (this.#shared) {
      this.#shared = false;
      if (this.#below === undefined) [this.#below, this.#above] = [this.#above, new Map()];
      else if (this.#above.size <= this.#below.size * smallPart) this.#above = new Map(this.#above);
      else [this.#below, this.#above] = [undefined, this.all()];
    }
    return this.#above;
  }
}
