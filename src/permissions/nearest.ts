/** The number of single-character edits between two short texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const [above = 0, left = 0, corner = 0] = [row[j], next[j - 1], row[j - 1]];
      next.push(Math.min(above + 1, left + 1, corner + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const longest = 64;

/** The known name that is most like a text; undefined if none is like it. */
function nearest(text: string, names: Iterable<string>): string | undefined {
  if (text.length > longest) return undefined;
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - text.length) > 3 || name.length > longest) continue;
    const edits = distance(text.toLowerCase(), name.toLowerCase());
    if (edits < (best?.edits ?? Math.max(2, Math.ceil(text.length / 3)) + 1)) best = { name, edits };
  }
  return best?.name;
}

/** Words that suggest the nearest name, or nothing. */
export function suggestion(text: string, names: Iterable<string>): string {
  const name = nearest(text, names);
  return name === undefined ? '' : ` (did you mean ${JSON.stringify(name)}?)`;
}
