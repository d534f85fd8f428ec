import type { IssuePath } from '../../base/lib/text/paths.js';
import { covers, overlaps } from '../model/overlap.js';
import { type ParsedStatement, StatementIndex } from './statement-index.js';

/** A statement, and where it stands. */
export type Placed = { readonly path: IssuePath; readonly policy: string; readonly parsed: ParsedStatement };

/** The statements of a role with one effect, in order, indexed to find statements that may overlap. */
export class PlacedList {
  readonly all: readonly Placed[];
  #index: StatementIndex | undefined;

  constructor(all: readonly Placed[]) {
    this.all = all;
  }

  /** Returns the first statement for which `holds` is true; `holds` may be true only for overlapping statements. */
  first(statement: ParsedStatement, holds: (other: ParsedStatement) => boolean): Placed | undefined {
    this.#index ??= new StatementIndex(this.all.map(({ parsed }) => parsed));
    for (const number of this.#index.candidates(statement)) {
      const placed = this.all[number];
      if (placed !== undefined && holds(placed.parsed)) return placed;
    }
    return undefined;
  }
}

type Patterns = ParsedStatement['actions'];

/** True if some question matches both statements. */
export function meet(a: ParsedStatement, b: ParsedStatement): boolean {
  const any = (left: Patterns, right: Patterns) => left.some((l) => right.some((r) => overlaps(l, r)));
  return any(a.actions, b.actions) && any(a.resources, b.resources);
}

/** True if `deny` matches every question that `allow` matches. */
export function shadows(deny: ParsedStatement, allow: ParsedStatement): boolean {
  const all = (outer: Patterns, inner: Patterns) =>
    inner.length > 0 && inner.every((narrow) => outer.some((pattern) => covers(pattern, narrow)));
  return all(deny.actions, allow.actions) && all(deny.resources, allow.resources);
}
