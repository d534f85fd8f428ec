/** A list of 32-bit numbers that grows: four bytes each, whatever their count. */
export class Column {
  #values = new Uint32Array(1_024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const wider = new Uint32Array(this.length * 2);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  /** The values so far; do not keep them while the list grows. */
  get values(): Uint32Array {
    return this.#values.subarray(0, this.length);
  }
}
