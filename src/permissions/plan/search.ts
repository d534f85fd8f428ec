/** Components with at most this many changes are searched exhaustively: 2^8 states. */
const mostSearched = 8;

/** Limits the states that one plan examines. */
export interface SearchBudget {
  states: number;
}

/** A search over the orders of numbered steps. A state is a bit mask of the steps that are done. */
export interface Search {
  /** The cost of an intermediate state; Infinity excludes it. */
  readonly costOf: (done: number) => number;
  /**
   * False if step `one` is not possible once the steps of the mask `done` are done. Default: every step is possible.
   */
  readonly canDo?: (done: number, one: number) => boolean;
}

/** An order of the steps, by number. */
export interface Found {
  readonly order: readonly number[];
  /** The sum of the costs of all intermediate states. */
  readonly cost: number;
}

/**
 * Finds the order of `count` steps with the lowest cost of intermediate states; undefined if there is none, or if
 * `budget` does not suffice. Explores cheap states first, so that a good order soon limits the search.
 */
export function cheapestOrder(count: number, { costOf, canDo }: Search, budget: SearchBudget): Found | undefined {
  if (count > mostSearched || budget.states < 2 ** count) return undefined;
  budget.states -= 2 ** count;
  const full = 2 ** count - 1;
  const costs = new Map<number, number>();
  const ended = new Set<number>();
  const open = new Map<number, Found>([[0, { order: [], cost: 0 }]]);
  while (open.size > 0) {
    const [done, found] = [...open].reduce((best, one) => (one[1].cost < best[1].cost ? one : best));
    if (done === full) return found;
    open.delete(done);
    ended.add(done);
    for (let one = 0; one < count; one++) {
      const next = done | (1 << one);
      if (next === done || ended.has(next) || canDo?.(done, one) === false) continue;
      const stepCost = costs.get(next) ?? (next === full ? 0 : costOf(next));
      costs.set(next, stepCost);
      const cost = found.cost + stepCost;
      if (cost === Number.POSITIVE_INFINITY || cost >= (open.get(next)?.cost ?? Number.POSITIVE_INFINITY)) continue;
      open.set(next, { order: [...found.order, one], cost });
    }
  }
  return undefined;
}
