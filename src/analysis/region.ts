import { covers, fill, meet, type Shape, toPattern } from './shape.js';
import type { PatternPair, Reason, Region, RegionPair } from './types.js';
import type { Work } from './work.js';

/** A set of questions: an action and a resource that match. */
export interface Pair {
  readonly action: Shape;
  readonly resource: Shape;
}

/** A pair without some others, and the reasons for which it is granted. */
export interface Area {
  readonly pair: Pair;
  /** Each overlaps the pair, and none covers it: an area is never empty. */
  readonly except: readonly Pair[];
  readonly because: readonly Reason[];
}

/** The work charged for an object that is kept, because memory has to be bounded, too. */
export const workOfObject = 20;

/** The work to compare a pair: long patterns take longer. */
const costOf = ({ action, resource }: Pair): number => 1 + ((action.key.length + resource.key.length) >> 6) * 16;

function pairCovers(outer: Pair, inner: Pair, work: Work): boolean {
  work.spend(costOf(inner));
  return outer === inner || (covers(outer.action, inner.action) && covers(outer.resource, inner.resource));
}

/** The questions that both pairs match; undefined if there are none. */
export function meetPairs(a: Pair, b: Pair, work: Work): Pair | undefined {
  if (pairCovers(a, b, work)) return b;
  if (pairCovers(b, a, work)) return a;
  const action = meet(a.action, b.action);
  const resource = action && meet(a.resource, b.resource);
  return resource && { action, resource };
}

/** The parts of pairs that lie inside one of the others. */
export function meetAll(pairs: readonly Pair[], others: readonly { readonly pair: Pair }[], work: Work): Pair[] {
  const parts = pairs.flatMap((one) => others.flatMap(({ pair }) => meetPairs(pair, one, work) ?? []));
  // Otherwise parts of parts would multiply.
  return pairs.length > 1 ? slim(parts, work) : parts;
}

/**
 * A pair without some others; undefined if nothing is left of it. Every wildcard matches infinitely many texts, so
 * nothing is left only if a single one of the others covers the pair: otherwise a question with a new text for each
 * wildcard matches none of them.
 */
export function without(pair: Pair, others: readonly Pair[], because: readonly Reason[], work: Work): Area | undefined {
  work.spend(workOfObject);
  const except: Pair[] = [];
  for (const other of others) {
    const both = meetPairs(other, pair, work);
    if (both === pair) return undefined;
    if (both) except.push(other);
  }
  return { pair, except, because };
}

/** The part of an area that lies inside a pair; undefined if there is none. */
export function within(area: Area, pair: Pair, work: Work): Area | undefined {
  const both = meetPairs(pair, area.pair, work);
  return both && (both === area.pair ? area : without(both, area.except, area.because, work));
}

/** The parts of an area that lie outside another one. */
function outside(area: Area, other: Area, work: Work): readonly Area[] {
  const both = meetPairs(other.pair, area.pair, work);
  if (both === undefined) return [area];
  const parts: Area[] = [];
  if (both !== area.pair) work.spend(workOfObject + area.except.length);
  if (both !== area.pair) parts.push({ ...area, except: [...area.except, other.pair] });
  for (const hole of other.except) {
    const inHole = meetPairs(hole, both, work);
    if (inHole === area.pair) return [area];
    const part = inHole && without(inHole, area.except, area.because, work);
    if (part) parts.push(part);
  }
  return parts;
}

/** True if the other area has all questions of the area. */
function includes(other: Area, area: Area, work: Work): boolean {
  if (!pairCovers(other.pair, area.pair, work)) return false;
  return other.except.every((hole) => {
    const inHole = meetPairs(hole, area.pair, work);
    return !inHole || without(inHole, area.except, [], work) === undefined;
  });
}

/** The parts of areas that lie outside all of the others. Parts may overlap where the areas do. */
export function subtract(areas: readonly Area[], others: readonly Area[], work: Work): Area[] {
  return areas.flatMap((area) => {
    let parts: readonly Area[] = others.some((other) => includes(other, area, work)) ? [] : [area];
    for (const other of others) {
      if (parts.length === 0) break;
      parts = parts.flatMap((part) => outside(part, other, work));
      // Without this, parts that several exceptions leave over would be kept several times.
      if (parts.length > 1) parts = merge(parts, work);
    }
    return parts;
  });
}

/** Reasons, each once. All are built with their fields in the same order. */
export const distinct = (reasons: readonly Reason[]): Reason[] => [
  ...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values(),
];

/** The areas that no other one includes; equal ones become one, with the reasons of both. */
export function merge(areas: readonly Area[], work: Work): Area[] {
  let kept: Area[] = [];
  for (const area of areas) {
    const by = kept.findIndex((other) => includes(other, area, work));
    if (by < 0) {
      kept = kept.filter((other) => !includes(area, other, work));
      kept.push(area);
      continue;
    }
    const known = kept[by] as Area;
    if (includes(area, known, work)) kept[by] = { ...known, because: distinct([...known.because, ...area.because]) };
  }
  return kept;
}

/** The pairs that no other one covers. */
function slim(pairs: readonly Pair[], work: Work): Pair[] {
  let kept: Pair[] = [];
  for (const pair of pairs) {
    if (kept.some((other) => pairCovers(other, pair, work))) continue;
    kept = kept.filter((other) => !pairCovers(pair, other, work));
    kept.push(pair);
  }
  return kept;
}

const toRegionPair = ({ action, resource }: Pair): RegionPair => ({
  action: toPattern(action),
  resource: toPattern(resource),
});

/** A key that is equal for equal regions. */
export const areaKey = ({ pair, except }: Area): string =>
  JSON.stringify([pair, ...except].map(({ action, resource }) => [action.key, resource.key]));

const byKey = (a: Pair, b: Pair): number =>
  a.action.key < b.action.key || (a.action.key === b.action.key && a.resource.key < b.resource.key) ? -1 : 1;

/** An area without redundant exceptions, in order. */
export const tidy = ({ pair, except, because }: Area, work: Work): Area => ({
  pair,
  except: slim(except, work).sort(byKey),
  because: distinct(because),
});

export const toRegion = ({ pair, except }: Pick<Area, 'pair' | 'except'>): Region => ({
  ...toRegionPair(pair),
  except: except.map(toRegionPair),
});

/** Readable characters to fill wildcards with, then others until one is new. */
function newCharacter(texts: readonly string[]): string {
  for (let i = 0; ; i++) {
    // x, y, z, a to w, then ideographs.
    const character = String.fromCodePoint(i < 26 ? 97 + ((i + 23) % 26) : 0x4e00 + i);
    if (!texts.some((text) => text.includes(character))) return character;
  }
}

/** Finds a question of an area: all wildcards become one text that occurs in no exception. */
export function witnessOf({ pair, except }: Pick<Area, 'pair' | 'except'>): PatternPair {
  const filler = newCharacter(except.flatMap(({ action, resource }) => [action.key, resource.key]));
  return { action: fill(pair.action, filler), resource: fill(pair.resource, filler) };
}
