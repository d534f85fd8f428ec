/** A list bounded by count and bytes that drops its oldest items. Its array may also be changed from outside. */
export class BoundedList<T> {
  readonly items: T[] = [];
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #bytesOf: (item: T) => number;
  #bytes = 0;
  /** The number of items that `#bytes` counts. */
  #counted = 0;

  constructor(most: number, mostBytes: number, bytesOf: (item: T) => number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.#bytesOf = bytesOf;
  }

  /** Adds an item, unless it alone exceeds a limit. */
  add(item: T): void {
    const { items } = this;
    const bytes = this.#bytesOf(item);
    if (this.#most === 0 || bytes > this.#mostBytes) return;
    if (items.length !== this.#counted) this.#bytes = items.reduce((sum, item) => sum + this.#bytesOf(item), 0);
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
