import { parseSegments, type Segment } from '../model/pattern.js';
import type { RegionPattern } from './analysis-types.js';

/** A segment of a shape: one exact text, or all texts that begin with `prefix` and end with `suffix`. */
export interface Part {
  /** If true, `prefix` is the whole text. */
  readonly isExact: boolean;
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * A set of texts: a pattern, or the overlap of several patterns. The overlap of two parts is a part again: texts that
 * begin with `a` and with `ab` begin with `ab`. Unless `isOpen`, the last part is never a `*`.
 */
export interface Shape {
  readonly parts: readonly Part[];
  /** If true, the last part is a `*` that matches one or more segments. */
  readonly isOpen: boolean;
  /** Equal for equal shapes. */
  readonly key: string;
}

const toPart = ({ kind, text }: Segment): Part => ({
  isExact: kind === 'exact',
  prefix: kind === 'suffix' ? '' : text,
  suffix: kind === 'suffix' ? text : '',
});

/** Parses a pattern. Only the empty pattern matches the empty action, so its shape has no parts. */
export function parseShape(pattern: string, isAction: boolean): Shape {
  const segments = isAction && pattern === '' ? [] : parseSegments(pattern);
  return { parts: segments.map(toPart), isOpen: segments.at(-1)?.kind === 'any', key: pattern };
}

/** A separator that no pattern contains: in well-formed Unicode no two halves of this kind follow each other. */
const separator = '\ud800\ud800';

/** The pattern of a shape, or, if no single pattern describes it, the two patterns whose overlap it is. */
export function toPattern({ key }: Shape): RegionPattern {
  const [first = '', ...rest] = key.split(separator);
  return rest.length > 0 ? { all: [first, ...rest] } : first;
}

export function keyOf(parts: readonly Part[]): string {
  const begin = parts.map(({ isExact, prefix }) => (isExact ? prefix : `${prefix}*`)).join(':');
  if (parts.every(({ suffix }) => suffix === '')) return begin;
  const isMixed = parts.some(({ prefix, suffix }) => prefix !== '' && suffix !== '');
  const end = parts.map(({ isExact, prefix, suffix }) => {
    if (isExact) return prefix;
    return isMixed || suffix !== '' || prefix === '' ? `*${suffix}` : `${prefix}*`;
  });
  return isMixed ? `${begin}${separator}${end.join(':')}` : end.join(':');
}

export function partCovers(a: Part, b: Part): boolean {
  if (a.isExact) return b.isExact && a.prefix === b.prefix;
  return b.prefix.startsWith(a.prefix) && (b.isExact ? b.prefix : b.suffix).endsWith(a.suffix);
}

/** True if `outer` matches every text that `inner` matches. */
export function covers(outer: Shape, inner: Shape): boolean {
  if (outer === inner) return true;
  const [{ parts }, { parts: others }] = [outer, inner];
  if (outer.isOpen ? others.length < parts.length : inner.isOpen || others.length !== parts.length) return false;
  for (let i = 0; i < parts.length; i++) if (!partCovers(parts[i] as Part, others[i] as Part)) return false;
  return true;
}

function meetParts(a: Part, b: Part): Part | undefined {
  if (partCovers(a, b)) return b;
  if (partCovers(b, a)) return a;
  if (a.isExact || b.isExact) return undefined;
  const prefix = a.prefix.startsWith(b.prefix) ? a.prefix : b.prefix.startsWith(a.prefix) ? b.prefix : undefined;
  const suffix = a.suffix.endsWith(b.suffix) ? a.suffix : b.suffix.endsWith(a.suffix) ? b.suffix : undefined;
  return prefix === undefined || suffix === undefined ? undefined : { isExact: false, prefix, suffix };
}

/** Longer beginnings are compared as patterns. */
const mostSegments = 8;

/** The exact segments at the beginning of a shape, joined; undefined if there are none. */
export function exactBegin({ parts }: Shape): string | undefined {
  let begin: string | undefined;
  for (const { isExact, prefix } of parts.slice(0, mostSegments)) {
    if (!isExact) break;
    begin = begin === undefined ? prefix : `${begin}:${prefix}`;
  }
  return begin;
}

/** The parts that the first `count` segments of a text match; undefined if no text is that long. */
export function headOf({ parts, isOpen }: Shape, count: number): readonly Part[] | undefined {
  if (isOpen) return parts.slice(0, Math.min(count, parts.length - 1));
  return parts.length < count ? undefined : parts.slice(0, count);
}

/** Replaces the exact beginning `from` of a shape, which it must have. */
export function rename(shape: Shape, from: string, to: string): Shape {
  const begin = to.split(':').map((prefix): Part => ({ isExact: true, prefix, suffix: '' }));
  const parts = [...begin, ...shape.parts.slice(from.split(':').length)];
  return { parts, isOpen: shape.isOpen, key: renameKey(shape, from, to) };
}

export const renameKey = ({ key }: Shape, from: string, to: string): string =>
  key
    .split(separator)
    .map((pattern) => to + pattern.slice(from.length))
    .join(separator);

/** The overlap of two shapes; undefined if they have none. */
export function meet(a: Shape, b: Shape): Shape | undefined {
  if (covers(a, b)) return b;
  if (covers(b, a)) return a;
  const [long, short] = a.parts.length >= b.parts.length ? [a, b] : [b, a];
  const more = long.parts.length > short.parts.length;
  if (more && !short.isOpen) return undefined;
  const parts: Part[] = [];
  for (const [i, part] of long.parts.entries()) {
    const other = short.parts[i];
    const both = other === undefined ? part : meetParts(part, other);
    if (both === undefined) return undefined;
    parts.push(both);
  }
  return { parts, isOpen: long.isOpen && (more || short.isOpen), key: keyOf(parts) };
}

/** A text of the shape, with `filler` in place of each wildcard. */
export const fill = ({ parts }: Shape, filler: string): string =>
  parts.map(({ isExact, prefix, suffix }) => (isExact ? prefix : prefix + filler + suffix)).join(':');
