/** Lets so many in at once; the others wait in their order, and cost nothing when they give up. */
export class Gate {
  #free: number;
  readonly #waiting = new Map<number, () => void>();
  #first = 0;
  #next = 0;

  constructor(most: number) {
    this.#free = most;
  }

  /** Whether any wait. */
  get isCrowded(): boolean {
    return this.#waiting.size > 0;
  }

  /** Calls `start` now or when it is its turn; gives what takes it out of the queue again. */
  enter(start: () => void): () => void {
    const place = this.#next++;
    this.#waiting.set(place, start);
    this.#admit();
    return () => void this.#waiting.delete(place);
  }

  /** Makes room for the next one. */
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
