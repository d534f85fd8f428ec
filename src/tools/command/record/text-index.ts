/** The texts of an index have at least this many characters. */
const prefixLength = 8;

/** Finds many texts in another one, in one pass over it; of texts that begin at the same place the longest. */
export class TextIndex {
  /** The texts with a prefix, and their lengths, the longest first. */
  readonly #byPrefix = new Map<string, { readonly texts: Map<string, string>; lengths: number[] }>();

  /** @param entries texts, each with the value that it stands for; shorter ones than 8 characters are left out. */
  constructor(entries: Iterable<readonly [text: string, value: string]> = []) {
    for (const [text, value] of entries) {
      if (text.length < prefixLength) continue;
      const prefix = text.slice(0, prefixLength);
      const near = this.#byPrefix.get(prefix) ?? { texts: new Map<string, string>(), lengths: [] as number[] };
      this.#byPrefix.set(prefix, near);
      near.texts.set(text, value);
      if (!near.lengths.includes(text.length)) near.lengths.push(text.length);
    }
    for (const near of this.#byPrefix.values()) near.lengths.sort((a, b) => b - a);
  }

  /**
   * Replaces the texts.
   * @param write undefined for a text that stays; `isWord` is false for a part of a word.
   */
  replaceIn(text: string, write: (value: string, isWord: boolean) => string | undefined): string {
    if (this.#byPrefix.size === 0) return text;
    let result = '';
    let at = 0;
    for (let from = 0; from + prefixLength <= text.length; from += 1) {
      const near = this.#byPrefix.get(text.slice(from, from + prefixLength));
      const length = near?.lengths.find((size) => near.texts.has(text.slice(from, from + size)));
      if (near === undefined || length === undefined) continue;
      const to = from + length;
      const isWord = !/\w/.test((text[from - 1] ?? '') + (text[to] ?? ''));
      const written = write(near.texts.get(text.slice(from, to)) ?? '', isWord);
      if (written !== undefined) {
        result += text.slice(at, from) + written;
        at = to;
      }
      from = to - 1;
    }
    return result + text.slice(at);
  }
}
