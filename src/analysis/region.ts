import { covers, fill, meet, type Shape, toPattern } from './shape.js';
import type { PatternPair, Reason, Region, RegionPair } from './types.js';
import type { Work } from './work.js';

/** A set of questions: an action and a resource that match. */
export interface Pair {
  readonly action: Shape;
  readonly resource: Shape;
  /** Of an exception: the statements that grant it, if it is one because others grant it as well. */
  readonly because?: readonly Reason[];
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
  // Its parts and its key are new.
  if (resource) work.spend(workOfObject + 8 * resource.key.length);
  return resource && { action, resource };
}

/** The parts of pairs that lie inside one of the others. */
export function meetAll(pairs: readonly Pair[], others: readonly { readonly pair: Pair }[], work: Work): Pair[] {
  const parts = pairs.flatMap((one) => others.flatMap(({ pair }) => meetPairs(one, pair, work) ?? []));
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

/** The parts of a pair that lie in exceptions of the other area, but not in those of the area. */
const holesIn = (pair: Pair, other: Area, area: Area, work: Work): Pair[] =>
  meetAll(other.except, [{ pair }], work).filter((hole) => !area.except.some((one) => pairCovers(one, hole, work)));

/** True if the other area has all questions of the area. */
const includes = (other: Area, area: Area, work: Work): boolean =>
  pairCovers(other.pair, area.pair, work) && holesIn(area.pair, other, area, work).length === 0;

const toException = ({ pair, because }: Area): Pair => (because.length > 0 ? { ...pair, because } : pair);

/**
 * The parts of areas that lie outside all of the others, as they are asked for. Parts may overlap where the areas do.
 * For each area it looks at its pair, then at the pairs inside of which one of the others has an exception, and so on:
 * many ways lead to such a pair, but each leaves the same of it.
 */
export function* subtract(areas: readonly Area[], others: readonly Area[], work: Work): Generator<Area, undefined> {
  for (const area of areas) {
    if (others.some((other) => includes(other, area, work))) continue;
    const { except, because } = area;
    const seen = new Set<string>();
    const todo = [
      { pair: area.pair, others: [...except.map((pair) => ({ pair, except: [], because: [] })), ...others] },
    ];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { pair, others } = next;
      const left: Area[] = [];
      // The exceptions of one of the others that contains all else of the pair: as few as there are.
      let only: readonly Pair[] | undefined;
      for (const other of others) {
        const both = meetPairs(other.pair, pair, work);
        const holes = both && holesIn(both, other, area, work);
        if (!holes || holes.includes(both)) continue;
        work.spend(workOfObject * (1 + holes.length));
        left.push({ ...other, except: holes });
        if (both === pair && (!only || only.length > holes.length)) only = holes;
      }
      if (!only) yield { pair, except: left.map(toException), because };
      for (const hole of only ?? left.flatMap((other) => other.except)) {
        const key = `${hole.action.key}\udfff${hole.resource.key}`;
        if (!seen.has(key)) todo.push({ pair: hole, others: left });
        seen.add(key);
      }
    }
  }
}

/** Reasons, each once. All are built with their fields in the same order. */
export const distinct = (reasons: readonly Reason[]): Reason[] => [
  ...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values(),
];

/** The areas that no other one includes; equal ones become one, with the reasons of both. */
export function merge(areas: readonly Area[], work: Work): Area[] {
  let kept: Area[] = [];
  for (const area of areas) {
    const known = kept.find((other) => includes(other, area, work));
    if (known && !includes(area, known, work)) continue;
    kept = kept.filter((other) => !includes(area, other, work));
    kept.push(known ? { ...known, because: distinct([...known.because, ...area.because]) } : area);
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

export const toRegionPair = ({ action, resource }: Pair): RegionPair => ({
  action: toPattern(action),
  resource: toPattern(resource),
});

/** A key that is equal for equal regions. */
export const areaKey = ({ pair, except }: Area): string =>
  JSON.stringify([pair, ...except].map(({ action, resource }) => [action.key, resource.key]));

const keyOfPair = ({ action, resource }: Pair): string => JSON.stringify([action.key, resource.key]);

const byKey = (a: Pair, b: Pair): number =>
  a.action.key < b.action.key || (a.action.key === b.action.key && a.resource.key < b.resource.key) ? -1 : 1;

/** An area without redundant exceptions, in order. Equal ones become one, with the reasons of all. */
export function tidy(area: Area, work: Work): Area {
  const equal = Map.groupBy(area.except, keyOfPair);
  const except = slim(area.except, work).map((pair) => {
    const because = equal.get(keyOfPair(pair))?.flatMap((one) => one.because ?? []) ?? [];
    return because.length > 0 ? { ...pair, because } : pair;
  });
  return sortExceptions({ ...area, except });
}

/** An area with its exceptions in order. */
export const sortExceptions = (area: Area): Area => ({ ...area, except: area.except.toSorted(byKey) });

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
