import type { Span } from './spans.js';

/** The texts of an index have at least this many characters. */
const prefixLength = 8;

interface Entry {
  readonly text: string;
  readonly value: string;
}

/** Finds many texts in another one, in one pass over it; of texts that begin at the same place the longest. */
export class TextIndex {
  readonly #byPrefix = new Map<string, Entry[]>();

  /** @param entries texts, each with the value that it stands for; shorter ones than 8 characters are left out. */
  constructor(entries: Iterable<readonly [text: string, value: string]>) {
    for (const [text, value] of entries) {
      if (text.length < prefixLength) continue;
      const prefix = text.slice(0, prefixLength);
      const known = this.#byPrefix.get(prefix) ?? [];
      known.push({ text, value });
      this.#byPrefix.set(prefix, known);
    }
    for (const known of this.#byPrefix.values()) known.sort((a, b) => b.text.length - a.text.length);
  }

  /** The places of the texts, with their values. */
  find(text: string): Span[] {
    const found: Span[] = [];
    if (this.#byPrefix.size === 0) return found;
    for (let from = 0; from + prefixLength <= text.length; from += 1) {
      const near = this.#byPrefix.get(text.slice(from, from + prefixLength));
      const entry = near?.find((one) => text.startsWith(one.text, from));
      if (entry === undefined) continue;
      const to = from + entry.text.length;
      found.push({ from, to, text: entry.value });
      from = to - 1;
    }
    return found;
  }
}
