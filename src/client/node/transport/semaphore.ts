/** Admits callers in FIFO order, up to a number at once. A waiter leaves the queue in constant time. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Map<number, () => void>();
  #first = 0;
  #next = 0;

  constructor(most: number) {
    this.#free = most;
  }

  /** True if there are waiters. */
  get isCrowded(): boolean {
    return this.#waiting.size > 0;
  }

  /** Calls `start` now or in turn; returns a function that removes it from the queue. */
  enter(start: () => void): () => void {
    const ticket = this.#next++;
    this.#waiting.set(ticket, start);
    this.#admit();
    return () => void this.#waiting.delete(ticket);
  }

  /** Frees a slot for the next waiter. */
  leave(): void {
    this.#free++;
    this.#admit();
  }

  #admit(): void {
    while (this.#free > 0 && this.#waiting.size > 0) {
      const start = this.#waiting.get(this.#first);
      this.#waiting.delete(this.#first++);
      if (start === undefined) continue;
      this.#free--;
      start();
    }
  }
}
