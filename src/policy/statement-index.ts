import type { Statement } from './model.js';
import { parseSegments, type Segment } from './pattern.js';

/** Something whose patterns are compared: actions or resources. */
type Dimension = 'actions' | 'resources';

/** A statement with its patterns in segments. */
export interface ParsedStatement {
  readonly actions: readonly (readonly Segment[])[];
  readonly resources: readonly (readonly Segment[])[];
}

/** Parses the patterns of a statement, once for all comparisons. */
export const parseStatement = ({ actions, resources }: Statement): ParsedStatement => ({
  actions: actions.map(parseSegments),
  resources: resources.map(parseSegments),
});

/** The statements (by their numbers) that a text with a certain segment at a certain place can match. */
interface Place {
  /** By the exact segment that they have there. */
  readonly exact: Map<string, number[]>;
  /** The segment there is a wildcard, or an earlier one takes all that remains. */
  readonly wild: number[];
}

/** Segments further on are not looked at: patterns that agree in so many are rarely told apart by the next one. */
const mostPlaces = 16;

/** Adds a number to a list of ascending numbers, once. */
const append = (list: number[], number: number): void => {
  if (list.at(-1) !== number) list.push(number);
};

/**
 * Finds the statements of a list that may have a question in common with another statement, without looking at all of
 * them: those that agree with it in the exact segment that the fewest have.
 */
export class StatementIndex {
  readonly #count: number;
  /** By the place of a segment. */
  readonly #places: Record<Dimension, Place[]> = { actions: [], resources: [] };

  constructor(statements: readonly ParsedStatement[]) {
    this.#count = statements.length;
    for (const dimension of ['actions', 'resources'] as const) {
      const longest = statements.reduce(
        (most, statement) => statement[dimension].reduce((length, pattern) => Math.max(length, pattern.length), most),
        0,
      );
      const places = Array.from(
        { length: Math.min(longest, mostPlaces) },
        (): Place => ({ exact: new Map(), wild: [] }),
      );
      for (const [number, statement] of statements.entries()) {
        for (const pattern of statement[dimension]) {
          const isOpen = pattern.at(-1)?.kind === 'any';
          for (const [at, { exact, wild }] of places.entries()) {
            const segment = pattern[at];
            if (segment?.kind === 'exact') {
              const list = exact.get(segment.text);
              if (list === undefined) exact.set(segment.text, [number]);
              else append(list, number);
            } else if (segment !== undefined || isOpen) append(wild, number);
          }
        }
      }
      this.#places[dimension] = places;
    }
  }

  /** The numbers, in ascending order, of all statements that meet another one, and of some that do not. */
  candidates(statement: ParsedStatement): Iterable<number> {
    const [one, other] = [this.#lists('actions', statement), this.#lists('resources', statement)];
    const lists = sizeOf(one) < sizeOf(other) ? one : other;
    if (lists === undefined) return Array.from({ length: this.#count }, (_, i) => i);
    return [...new Set(lists.flat())].sort((a, b) => a - b);
  }

  /** Lists that hold all statements that have something in common with any of the patterns; undefined: all do. */
  #lists(dimension: Dimension, statement: ParsedStatement): number[][] | undefined {
    const lists: number[][] = [];
    for (const pattern of statement[dimension]) {
      let best: number[][] | undefined;
      for (const [at, { kind, text }] of pattern.slice(0, mostPlaces).entries()) {
        if (kind !== 'exact') continue;
        // Beyond the longest pattern there is nothing but what an earlier segment took, which the last place has.
        const place = this.#places[dimension][at];
        const found = place === undefined ? this.#open(dimension) : [place.exact.get(text) ?? [], place.wild];
        if (best === undefined || sizeOf(found) < sizeOf(best)) best = found;
      }
      if (best === undefined) return undefined;
      lists.push(...best);
    }
    return lists;
  }

  /** Statements whose last segment takes all that remains. */
  #open(dimension: Dimension): number[][] {
    const last = this.#places[dimension].at(-1);
    return last === undefined ? [] : [last.wild];
  }
}

/** How many numbers lists hold; infinitely many where there are none to choose from. */
function sizeOf(lists: readonly (readonly number[])[] | undefined): number {
  return lists === undefined ? Number.POSITIVE_INFINITY : lists.reduce((sum, { length }) => sum + length, 0);
}
