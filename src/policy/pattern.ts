// Patterns are split at ":". A segment is exact, "*", "prefix*" or "*suffix"; any other "*" is literal.
// A last segment "*" takes one or more remaining segments; a pattern that is just "*" takes everything.

/** How one segment of a pattern compares. */
type SegmentKind = 'any' | 'exact' | 'prefix' | 'suffix';

/** One segment of a pattern. */
export interface Segment {
  readonly kind: SegmentKind;
  /** The literal part. */
  readonly text: string;
}

const loneSurrogate = /\p{Surrogate}/u;

function parseSegment(text: string): Segment {
  if (text === '*') return { kind: 'any', text: '' };
  if (text.endsWith('*')) return { kind: 'prefix', text: text.slice(0, -1) };
  if (text.startsWith('*')) return { kind: 'suffix', text: text.slice(1) };
  return { kind: 'exact', text };
}

/** The segment that nobody can parse (`*x*`), if there is one. */
export function unparsableSegment(pattern: string): string | undefined {
  return pattern.split(':').find((segment) => segment.length > 1 && segment.startsWith('*') && segment.endsWith('*'));
}

/** Why a resource pattern is refused, or undefined. */
export function resourceFault(pattern: string): string | undefined {
  if (pattern === '') return 'must not be empty';
  // Comparison is by code point, which half a code point has no part in. JSON in UTF-8 cannot carry one either.
  if (loneSurrogate.test(pattern)) return 'is not well-formed Unicode';
  const segment = unparsableSegment(pattern);
  return segment === undefined
    ? undefined
    : `cannot be parsed: "${segment}" begins and ends with "*"; a segment is exact, "*", "prefix*" or "*suffix"`;
}

/** Why an action pattern is refused, or undefined. */
export function actionFault(pattern: string): string | undefined {
  if (pattern === '*') return undefined;
  const [namespace, name, ...rest] = pattern.split(':');
  if (name === undefined || rest.length > 0) return 'must be "*" or "<namespace>:<name>"';
  if (namespace === '') return 'has an empty namespace';
  if (name === '') return 'has an empty name';
  return resourceFault(pattern);
}

function matchesSegment({ kind, text }: Segment, value: string): boolean {
  if (kind === 'any') return true;
  if (kind === 'exact') return value === text;
  return kind === 'prefix' ? value.startsWith(text) : value.endsWith(text);
}

/** A parsed pattern. Nothing of it becomes a RegExp, so no pattern is slow. */
export class Pattern {
  readonly text: string;
  /** The pattern is just `*`. */
  readonly any: boolean;
  /** Without wildcards: the text that matches, else undefined. */
  readonly exact: string | undefined;
  /** Literal segments and a last `*`: what a match begins with (`a:b:`), else undefined. */
  readonly prefix: string | undefined;
  readonly segments: readonly Segment[];
  /** The last segment is `*` and takes all that remains. */
  readonly open: boolean;

  constructor(text: string) {
    this.text = text;
    const segments = text.split(':').map(parseSegment);
    const head = segments.slice(0, -1);
    this.segments = segments;
    this.any = text === '*';
    this.open = segments.at(-1)?.kind === 'any';
    const literal = head.every((segment) => segment.kind === 'exact');
    this.exact = literal && segments.at(-1)?.kind === 'exact' ? text : undefined;
    this.prefix = literal && this.open && !this.any ? text.slice(0, -1) : undefined;
  }

  /** Compares by code point, case-sensitively. */
  matches(value: string): boolean {
    if (this.any) return true;
    if (this.exact !== undefined) return value === this.exact;
    if (this.prefix !== undefined) return value.startsWith(this.prefix);
    return this.matchesSegments(value);
  }

  private matchesSegments(value: string): boolean {
    const { segments, open } = this;
    const last = segments.length - 1;
    let start = 0;
    for (let i = 0; i < last; i++) {
      const end = value.indexOf(':', start);
      if (end < 0) return false;
      // The pattern has as many segments as it has, so the index is inside.
      if (!matchesSegment(segments[i] as Segment, value.slice(start, end))) return false;
      start = end + 1;
    }
    if (open) return true;
    return value.indexOf(':', start) < 0 && matchesSegment(segments[last] as Segment, value.slice(start));
  }
}
