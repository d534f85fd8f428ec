import { printable } from '../../base/lib/text/printable.js';
import { loneSurrogate } from '../../base/lib/values.js';

// Patterns are split at ":". A segment is exact, "*", "prefix*" or "*suffix"; any other "*" is literal. A last segment
// "*" matches one or more remaining segments; the pattern "*" alone matches everything.

type SegmentKind = 'any' | 'exact' | 'prefix' | 'suffix';

export interface Segment {
  readonly kind: SegmentKind;
  /** The text of the segment without its `*`. */
  readonly text: string;
}

function parseSegment(text: string): Segment {
  if (text === '*') return { kind: 'any', text: '' };
  if (text.endsWith('*')) return { kind: 'prefix', text: text.slice(0, -1) };
  if (text.startsWith('*')) return { kind: 'suffix', text: text.slice(1) };
  return { kind: 'exact', text };
}

/** Splits a pattern into segments. */
export function parseSegments(pattern: string): Segment[] {
  return pattern.split(':').map(parseSegment);
}

/** The first segment that cannot be parsed (`*x*`), if any. */
export function unparsableSegment(pattern: string): string | undefined {
  if (!pattern.includes('*')) return undefined;
  return pattern.split(':').find((segment) => segment.length > 1 && segment.startsWith('*') && segment.endsWith('*'));
}

/** The problem of a resource pattern, or undefined; with `lenient` only if it cannot be parsed. */
export function resourceFault(pattern: string, lenient?: boolean): string | undefined {
  if (pattern === '*') return undefined;
  if (pattern === '' && !lenient) return 'must not be empty';
  // Matching compares code points, so a lone surrogate can never match. JSON in UTF-8 cannot represent it either.
  if (loneSurrogate.test(pattern)) return 'holds a lone surrogate';
  const segment = unparsableSegment(pattern);
  if (segment === undefined) return undefined;
  return `has the segment "${printable(segment)}" with "*" at both ends`;
}

/** The problem of an action pattern, or undefined; with `lenient` only if it cannot be parsed. */
export function actionFault(pattern: string, lenient?: boolean): string | undefined {
  if (pattern === '*') return undefined;
  const parts = pattern.split(':');
  if (parts.length !== 2 || (!lenient && parts.includes(''))) return 'must be "*" or "<namespace>:<name>"';
  return resourceFault(pattern, lenient);
}

/** A wildcard inside a segment, up to the segment's end, which must be `suffix`; the text `literal` follows. */
type Gap = { readonly suffix: string; readonly literal: string; readonly next: Gap | undefined };

/**
 * A parsed pattern: literal text, then gaps, each followed by literal text. `a:*:b` is `a:`, a gap, `:b`. Matching uses
 * no RegExp and no splitting, so no pattern is slow and no match allocates. Comparison is by code point.
 */
export class Pattern {
  /** True if the pattern is just `*`. */
  declare readonly any: boolean;
  /** The text to match, if there are no wildcards. */
  declare readonly exact: string | undefined;
  declare readonly literal: string;
  declare readonly gap: Gap | undefined;
  /** True if the last segment is `*`, which matches the whole rest. */
  declare readonly open: boolean;

  constructor(text: string) {
    // A pattern without wildcards is compared as text.
    const segments = text.includes('*') ? text.split(':') : [];
    this.any = text === '*';
    this.open = segments.at(-1) === '*';
    if (this.open) segments[segments.length - 1] = '';
    let literal = '';
    let gap: Gap | undefined;
    // Gaps are built from the end, so that each can refer to the next one.
    for (let i = segments.length - 1; i >= 0; i--) {
      const part = segments[i] as string;
      if (part.endsWith('*')) {
        gap = { suffix: '', literal, next: gap };
        literal = part.slice(0, -1);
      } else if (part.startsWith('*')) {
        gap = { suffix: part.slice(1), literal, next: gap };
        literal = '';
      } else literal = part + literal;
      if (i > 0) literal = `:${literal}`;
    }
    this.literal = literal;
    this.gap = gap;
    this.exact = gap || this.open ? undefined : text;
  }

  matches(value: string): boolean {
    const { literal, exact } = this;
    if (exact !== undefined) return value === exact;
    if (literal.length > 0 && !value.startsWith(literal)) return false;
    let at = literal.length;
    for (let gap = this.gap; gap; gap = gap.next) {
      const colon = value.indexOf(':', at);
      const end = colon < 0 ? value.length : colon;
      // A suffix contains no colon, so it cannot overlap the literal before it, which ends with one or is empty.
      const { suffix, literal } = gap;
      // The lengths are tested for speed: most gaps have an empty suffix.
      if (suffix.length > 0 && !value.startsWith(suffix, end - suffix.length)) return false;
      if (literal.length > 0 && !value.startsWith(literal, end)) return false;
      at = end + literal.length;
    }
    return this.open || at === value.length;
  }
}
