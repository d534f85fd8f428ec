/** The number of characters to add, remove, replace or swap with the next one. */
function distance(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const [above = 0, left = 0, corner = 0] = [row[j], next[j - 1], row[j - 1]];
      let least = Math.min(above + 1, left + 1, corner + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/**
 * The most similar of some names, in any case; undefined if all differ in more than `most` characters: by default a
 * third, and one of two or three.
 */
export function nearest(
  text: string,
  names: Iterable<string>,
  most: number = Math.max(text.length > 1 ? 1 : 0, Math.floor(text.length / 3)),
): string | undefined {
  let best: string | undefined;
  let least = most + 1;
  for (const name of names) {
    if (Math.abs(name.length - text.length) >= least) continue;
    const edits = distance(text.toLowerCase(), name.toLowerCase());
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}
