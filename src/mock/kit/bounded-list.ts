/**
 * A list that drops its oldest items: it keeps at most so many, and at most so many bytes of them. Others may change
 * the array, too.
 */
export class BoundedList<T> {
  readonly items: T[] = [];
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #bytesOf: (item: T) => number;
  #bytes = 0;
  /** How many items `#bytes` counts. */
  #counted = 0;

  constructor(most: number, mostBytes: number, bytesOf: (item: T) => number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.#bytesOf = bytesOf;
  }

  /** Adds an item, unless it alone is too large. */
  add(item: T): void {
    const { items } = this;
    const bytes = this.#bytesOf(item);
    if (this.#most === 0 || bytes > this.#mostBytes) return;
    if (items.length !== this.#counted) this.#bytes = items.reduce((sum, one) => sum + this.#bytesOf(one), 0);
    items.push(item);
    this.#bytes += bytes;
    while (items.length > this.#most || this.#bytes > this.#mostBytes) {
      const oldest = items.shift();
      if (oldest !== undefined) this.#bytes -= this.#bytesOf(oldest);
    }
    this.#counted = items.length;
  }

  clear(): void {
    this.items.length = 0;
  }
}
