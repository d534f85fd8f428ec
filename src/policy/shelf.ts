/** A Map that is copied when it is first written to after a clone: cloning costs nothing, and a clone that is only read stays free. */
export class Shelf<V> {
  #map: Map<string, V>;
  #shared = false;

  constructor(map = new Map<string, V>()) {
    this.#map = map;
  }

  get(name: string): V | undefined {
    return this.#map.get(name);
  }

  set(name: string, value: V): void {
    this.#own().set(name, value);
  }

  delete(name: string): boolean {
    return this.#map.has(name) && this.#own().delete(name);
  }

  clone(): Shelf<V> {
    const copy = new Shelf(this.#map);
    this.#shared = copy.#shared = true;
    return copy;
  }

  #own(): Map<string, V> {
    if (this.#shared) {
      this.#map = new Map(this.#map);
      this.#shared = false;
    }
    return this.#map;
  }
}
