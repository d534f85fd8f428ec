import type { Segment } from './pattern.js';

/** True if the last segment is `*`, which matches one or more segments. */
const isOpen = (segments: readonly Segment[]): boolean => segments.at(-1)?.kind === 'any';

function segmentCovers(a: Segment, b: Segment): boolean {
  if (a.kind === 'any') return true;
  if (a.kind === 'exact') return b.kind === 'exact' && a.text === b.text;
  if (b.kind !== 'exact' && b.kind !== a.kind) return false;
  return a.kind === 'prefix' ? b.text.startsWith(a.text) : b.text.endsWith(a.text);
}

function segmentsMeet(a: Segment, b: Segment): boolean {
  if (segmentCovers(a, b) || segmentCovers(b, a)) return true;
  // A prefix and a suffix overlap: "a*" and "*b" in "ab". Two prefixes (or two suffixes) overlap only if one covers the
  // other.
  return a.kind !== 'exact' && b.kind !== 'exact' && a.kind !== b.kind;
}

/** True if `outer` matches everything that `inner` matches. */
export function covers(outer: readonly Segment[], inner: readonly Segment[]): boolean {
  if (isOpen(outer) ? inner.length < outer.length : isOpen(inner) || inner.length !== outer.length) return false;
  // `inner` has at least as many segments; an open last segment of `outer` covers any rest.
  return outer.every((segment, i) => segmentCovers(segment, inner[i] as Segment));
}

/** True if some text matches both. */
export function overlaps(a: readonly Segment[], b: readonly Segment[]): boolean {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  if (long.length > short.length && !isOpen(short)) return false;
  return short.every((segment, i) => segmentsMeet(segment, long[i] as Segment));
}
