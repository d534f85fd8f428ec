/** A part of a text, and the text that replaces it. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Joins spans that overlap; `whole` makes the replacement of what they span together. */
export function joinSpans(spans: readonly Span[], whole: (from: number, to: number) => string): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = joined.at(-1);
    if (last === undefined || span.from >= last.to) {
      joined.push(span);
    } else if (span.to > last.to) {
      joined[joined.length - 1] = { from: last.from, to: span.to, text: whole(last.from, span.to) };
    }
  }
  return joined;
}

/** Replaces the spans of a text, which are in order. */
export function applySpans(text: string, spans: readonly Span[]): string {
  let shown = '';
  let at = 0;
  for (const { from, to, text: replacement } of spans) {
    shown += text.slice(at, from) + replacement;
    at = to;
  }
  return shown + text.slice(at);
}

/** Replaces the spans of a text in pieces. A span stands in the piece where it begins. */
export function applyToPieces(pieces: readonly string[], spans: readonly Span[]): string[] {
  const text = pieces.join('');
  let end = 0;
  let at = 0;
  return pieces.map((piece) => {
    const start = Math.max(end, at);
    end += piece.length;
    const inside = spans.filter(({ from }) => from >= start && from < end);
    const last = inside.at(-1);
    const stop = Math.max(start, end, last?.to ?? 0);
    at = stop;
    const shifted = inside.map((span) => ({ ...span, from: span.from - start, to: span.to - start }));
    return applySpans(text.slice(start, stop), shifted);
  });
}
