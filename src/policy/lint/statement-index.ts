import type { Statement } from '../model/model.js';
import { parseSegments, type Segment } from '../model/pattern.js';

/** The compared patterns: actions or resources. */
type Dimension = 'actions' | 'resources';

/** A statement with its patterns split into segments. */
export interface ParsedStatement {
  readonly actions: readonly (readonly Segment[])[];
  readonly resources: readonly (readonly Segment[])[];
}

/** Parses the patterns of a statement, once for all comparisons. */
export const parseStatement = ({ actions, resources }: Statement): ParsedStatement => ({
  actions: actions.map(parseSegments),
  resources: resources.map(parseSegments),
});

/** The statements, by number, that can match a text with a given segment at this position. */
interface StatementPlace {
  /** Statements with an exact segment at this position. */
  readonly exact: Map<string, number[]>;
  /** Statements with a wildcard at this position, or with an earlier segment that matches the rest of the text. */
  readonly wild: number[];
}

/** Only this many segments are indexed: patterns with so many equal segments rarely differ in the next one. */
const mostPlaces = 16;

/** Appends a number to an ascending list unless it is already the last one. */
const append = (list: number[], number: number): void => {
  if (list.at(-1) !== number) list.push(number);
};

/**
 * Finds the statements of a list that may overlap another one, without comparing all: it looks up the rarest exact
 * segment.
 */
export class StatementIndex {
  readonly #count: number;
  /** Indexed by the position of the segment. */
  readonly #places: Record<Dimension, StatementPlace[]> = { actions: [], resources: [] };

  constructor(statements: readonly ParsedStatement[]) {
    this.#count = statements.length;
    for (const dimension of ['actions', 'resources'] as const) {
      const longest = statements.reduce(
        (most, statement) => statement[dimension].reduce((length, pattern) => Math.max(length, pattern.length), most),
        0,
      );
      const places = Array.from(
        { length: Math.min(longest, mostPlaces) },
        (): StatementPlace => ({ exact: new Map(), wild: [] }),
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

  /** Returns the numbers of all overlapping statements, and possibly of others, in ascending order. */
  candidates(statement: ParsedStatement): Iterable<number> {
    const [byAction, byResource] = [this.#lists('actions', statement), this.#lists('resources', statement)];
    const lists = sizeOf(byAction) < sizeOf(byResource) ? byAction : byResource;
    if (lists === undefined) return Array.from({ length: this.#count }, (_, i) => i);
    return [...new Set(lists.flat())].sort((a, b) => a - b);
  }

  /**
   * Returns lists that contain all statements overlapping any of the patterns; undefined if every statement may
   * overlap.
   */
  #lists(dimension: Dimension, statement: ParsedStatement): number[][] | undefined {
    const lists: number[][] = [];
    for (const pattern of statement[dimension]) {
      let best: number[][] | undefined;
      for (const [at, { kind, text }] of pattern.slice(0, mostPlaces).entries()) {
        if (kind !== 'exact') continue;
        // Beyond the longest pattern only patterns with an open last segment match; the last position contains these.
        const place = this.#places[dimension][at];
        const lists = place === undefined ? this.#open(dimension) : [place.exact.get(text) ?? [], place.wild];
        if (best === undefined || sizeOf(lists) < sizeOf(best)) best = lists;
      }
      if (best === undefined) return undefined;
      lists.push(...best);
    }
    return lists;
  }

  /** Statements whose last segment matches any rest. */
  #open(dimension: Dimension): number[][] {
    const last = this.#places[dimension].at(-1);
    return last === undefined ? [] : [last.wild];
  }
}

/** The total length of lists; infinite if there are none. */
function sizeOf(lists: readonly (readonly number[])[] | undefined): number {
  return lists === undefined ? Number.POSITIVE_INFINITY : lists.reduce((sum, { length }) => sum + length, 0);
}
