/** The most changes of a component whose orders are all tried: 2^8 states. */
const mostSearched = 8;

/** Limits the states that one plan examines. */
export interface SearchBudget {
  states: number;
}

/** The states on the way, each a set of things done: a bit for each of them. */
export interface Search {
  /** The cost to pass through a state between the first and the last; Infinity for one to avoid. */
  readonly costOf: (done: number) => number;
  /** False if a thing cannot be done in a state. Default true. */
  readonly canDo?: (done: number, one: number) => boolean;
}

/** An order of things, by their numbers. */
export interface Found {
  readonly order: readonly number[];
  /** The sum over the states between. */
  readonly cost: number;
}

/**
 * Finds the order of `count` things whose states between cost least; undefined if there is none, or if there are too
 * many states to look at. Cheap states are followed first, so that a good order is found before all others are tried.
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
