import type { PatternPair, Reason, Region, RegionPair } from './analysis-types.js';
import { covers, fill, meet, type Shape, toPattern } from './text-shape.js';
import type { Work } from './work.js';

/** A set of questions: an action and a resource that match. */
export interface Pair {
  readonly action: Shape;
  readonly resource: Shape;
  /** Only for an exception: the statements that grant the same pair elsewhere. Undefined if the exception is denied. */
  readonly because?: readonly Reason[];
}

/** A pair minus exceptions, and the reasons for which the rest is granted. */
export interface Area {
  readonly pair: Pair;
  /** Each exception overlaps the pair, and none covers it, so an area is never empty. */
  readonly except: readonly Pair[];
  readonly because: readonly Reason[];
}

/** The work charged for a kept object: `maxWork` also bounds memory. */
export const workOfObject = 20;

/** The work of one comparison: more for long patterns. */
const costOf = ({ action, resource }: Pair): number => 1 + ((action.key.length + resource.key.length) >> 6) * 16;

function pairCovers(outer: Pair, inner: Pair, work: Work): boolean {
  work.spend(costOf(inner));
  return outer === inner || (covers(outer.action, inner.action) && covers(outer.resource, inner.resource));
}

/** The overlap of two pairs; undefined if they have none. */
export function meetPairs(a: Pair, b: Pair, work: Work): Pair | undefined {
  if (pairCovers(a, b, work)) return b;
  if (pairCovers(b, a, work)) return a;
  const action = meet(a.action, b.action);
  const resource = action && meet(a.resource, b.resource);
  // The overlap is a new object with a new key.
  if (resource) work.spend(workOfObject + 8 * resource.key.length);
  return resource && { action, resource };
}

/** The overlaps of `pairs` with the pairs of `others`. */
export function meetAll(pairs: readonly Pair[], others: readonly { readonly pair: Pair }[], work: Work): Pair[] {
  const parts = pairs.flatMap((left) => others.flatMap(({ pair }) => meetPairs(left, pair, work) ?? []));
  // Without removing covered parts, repeated calls would multiply them.
  return pairs.length > 1 ? slim(parts, work) : parts;
}

/**
 * Subtracts pairs from a pair; undefined if nothing is left. Every wildcard matches infinitely many texts, so nothing
 * is left only if one of the others covers the whole pair: otherwise some question, with a new text for each wildcard,
 * matches none of them.
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

/** The part of an area inside a pair; undefined if they do not overlap. */
export function within(area: Area, pair: Pair, work: Work): Area | undefined {
  const both = meetPairs(pair, area.pair, work);
  return both && (both === area.pair ? area : without(both, area.except, area.because, work));
}

/** The parts of `pair` inside exceptions of `other`, without those that are also exceptions of `area`. */
const holesIn = (pair: Pair, other: Area, area: Area, work: Work): Pair[] =>
  meetAll(other.except, [{ pair }], work).filter(
    (hole) => !area.except.some((exception) => pairCovers(exception, hole, work)),
  );

/** True if `other` contains each question of `area`. */
const includes = (other: Area, area: Area, work: Work): boolean =>
  pairCovers(other.pair, area.pair, work) && holesIn(area.pair, other, area, work).length === 0;

const toException = ({ pair, because }: Area): Pair => (because.length > 0 ? { ...pair, because } : pair);

/**
 * Yields the parts of areas that lie outside all of `others`. Parts may overlap if the areas do. Each area begins with
 * its whole pair and continues with the exceptions of the others inside it, recursively. Many paths reach the same
 * exception with the same result, so each is visited once.
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
      // If one of the others covers the pair apart from exceptions, only its exceptions can be left; the shortest list
      // is kept.
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

/** Removes duplicates. Reasons can be compared as JSON because all have their fields in the same order. */
export const distinct = (reasons: readonly Reason[]): Reason[] => [
  ...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values(),
];

/** Removes areas that another one includes; equal areas become one, with the reasons of both. */
export function merge(areas: readonly Area[], work: Work): Area[] {
  let areasLeft: Area[] = [];
  for (const area of areas) {
    const container = areasLeft.find((other) => includes(other, area, work));
    if (container && !includes(area, container, work)) continue;
    areasLeft = areasLeft.filter((other) => !includes(area, other, work));
    areasLeft.push(container ? { ...container, because: distinct([...container.because, ...area.because]) } : area);
  }
  return areasLeft;
}

/** Removes pairs that another one covers. */
function slim(pairs: readonly Pair[], work: Work): Pair[] {
  let pairsLeft: Pair[] = [];
  for (const pair of pairs) {
    if (pairsLeft.some((other) => pairCovers(other, pair, work))) continue;
    pairsLeft = pairsLeft.filter((other) => !pairCovers(pair, other, work));
    pairsLeft.push(pair);
  }
  return pairsLeft;
}

export const toRegionPair = ({ action, resource }: Pair): RegionPair => ({
  action: toPattern(action),
  resource: toPattern(resource),
});

/** Equal for equal regions. */
export const areaKey = ({ pair, except }: Area): string =>
  JSON.stringify([pair, ...except].map(({ action, resource }) => [action.key, resource.key]));

const keyOfPair = ({ action, resource }: Pair): string => JSON.stringify([action.key, resource.key]);

const byKey = (a: Pair, b: Pair): number =>
  a.action.key < b.action.key || (a.action.key === b.action.key && a.resource.key < b.resource.key) ? -1 : 1;

/** Removes redundant exceptions from an area and sorts the others. Equal exceptions become one, with all reasons. */
export function tidy(area: Area, work: Work): Area {
  const equal = Map.groupBy(area.except, keyOfPair);
  const except = slim(area.except, work).map((pair) => {
    const because = equal.get(keyOfPair(pair))?.flatMap((equalPair) => equalPair.because ?? []) ?? [];
    return because.length > 0 ? { ...pair, because } : pair;
  });
  return sortExceptions({ ...area, except });
}

/** Puts the exceptions of an area in a fixed order, so that equal areas compare equal. */
export const sortExceptions = (area: Area): Area => ({ ...area, except: area.except.toSorted(byKey) });

export const toRegion = ({ pair, except }: Pick<Area, 'pair' | 'except'>): Region => ({
  ...toRegionPair(pair),
  except: except.map(toRegionPair),
});

/** A character that occurs in none of the texts, readable if possible. */
function newCharacter(texts: readonly string[]): string {
  for (let i = 0; ; i++) {
    // x to z, then ideographs.
    const character = String.fromCodePoint(i < 3 ? 120 + i : 0x4e00 + i);
    if (!texts.some((text) => text.includes(character))) return character;
  }
}

/** Finds a question inside an area: one text that occurs in no exception replaces all wildcards. */
export function witnessOf({ pair, except }: Pick<Area, 'pair' | 'except'>): PatternPair {
  const filler = newCharacter(except.flatMap(({ action, resource }) => [action.key, resource.key]));
  return { action: fill(pair.action, filler), resource: fill(pair.resource, filler) };
}
