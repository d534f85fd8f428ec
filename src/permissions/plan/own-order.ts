import type { Change, Stage } from '../model/change.js';
import { after } from './effects.js';
import { needsOf } from './needs.js';
import type { Planner } from './order.js';
import type { OwnPermissions } from './own-access.js';
import { cheapestOrder } from './search.js';
import { type OrderedWays, oneByOne, sideBySide, type Way, zip } from './ways.js';

// Orders a plan that takes permissions from its own caller: these changes are made as late as possible. Meanwhile the
// caller, or in grant-first order every user, may have additional access, which the plan reports.

/** Stages without the calls of these changes. */
const leaveOut = (stages: readonly Stage[], changes: ReadonlySet<number>): Stage[] =>
  stages.map((stage) => stage.filter(({ change }) => !changes.has(change))).filter((stage) => stage.length > 0);

/** Looks for an order of the calls in which a caller can finish. */
class CallerOrder {
  readonly #planner: Planner;
  readonly #permissions: OwnPermissions;
  /** The component of the changes that affect the caller. */
  readonly #way: Way;
  readonly #others: readonly Way[];
  readonly #isOwn: (change: Change) => boolean;

  constructor(
    planner: Planner,
    permissions: OwnPermissions,
    [way, others]: readonly [Way, readonly Way[]],
    isOwn: (change: Change) => boolean,
  ) {
    this.#planner = planner;
    this.#permissions = permissions;
    this.#way = way;
    this.#others = others;
    this.#isOwn = isOwn;
  }

  /** Yields candidate orders, the best first. */
  *candidates(): Generator<OrderedWays> {
    const [way, others] = [this.#way, this.#others];
    const ways = [...others, way];
    const rest = sideBySide(others).stages;
    yield { ways, stages: [...rest, ...way.stages] };
    yield { ways, stages: [...way.stages, ...rest] };
    const dirty = [...others, { ...way, isClean: false }];
    const searched = this.#searched(rest);
    if (searched) yield { ways: dirty, stages: searched };
    for (const order of this.#planner.preferred) {
      const { stages } = this.#planner.split(way, order);
      const losing = this.#losing();
      // Delaying only the caller's own bindings does not affect other users, so this is tried first.
      for (const last of [losing.filter(([, { kind }]) => kind === 'binding'), losing]) {
        if (last.length === 0) continue;
        const early = leaveOut(stages, new Set(last.map(([at]) => at)));
        const late = this.#lastOf([...rest, ...early], last);
        yield { ways: dirty, stages: [...zip([rest, early]), ...late] };
        yield { ways: dirty, stages: [...early, ...rest, ...late] };
      }
    }
  }

  /** True if the caller has the permissions for each call, in each state that the stages can reach. */
  canFinish(stages: readonly Stage[]): boolean {
    return this.#permissions.missing(this.#planner.start, this.#planner.changes, stages).length === 0;
  }

  /** The changes that take management permissions from the caller. */
  #losing(): Way['changes'] {
    const { start } = this.#planner;
    return this.#way.changes.filter(([at, change]) => {
      if (!this.#isOwn(change)) return false;
      return this.#permissions.lost(start, this.#planner.after([[{ change: at, content: change.after }]])).length > 0;
    });
  }

  /** Makes these calls one after the other, in an order in which the caller is allowed to make each of them. */
  #lastOf(before: readonly Stage[], last: Way['changes']): Stage[] {
    const given = last.map((_, i) => i);
    const found = this.#search(last, before, () => 0);
    return oneByOne(last, found ?? given);
  }

  /**
   * Makes the calls of the caller's component one by one, with the calls of all other components inserted where the
   * cost is lowest.
   */
  #searched(rest: readonly Stage[]): Stage[] | undefined {
    const { changes, reach } = this.#way;
    const planner = this.#planner;
    const costOf = (stages: readonly Stage[]) => planner.costOf([planner.after(stages)], reach);
    if (rest.length === 0) {
      const order = this.#search(changes, [], costOf);
      return order && oneByOne(changes, order);
    }
    // The calls of all other components do not affect the caller, so they count as one additional step.
    const order = this.#search(changes, [], costOf, rest);
    return order?.flatMap((one) => (one === changes.length ? rest : oneByOne(changes, [one])));
  }

  /** Finds an order in which the caller is allowed to make each call. */
  #search(
    changes: Way['changes'],
    before: readonly Stage[],
    costOf: (stages: readonly Stage[]) => number,
    rest: readonly Stage[] = [],
  ): readonly number[] | undefined {
    const [planner, permissions] = [this.#planner, this.#permissions];
    const { start } = planner;
    const things = [...changes.map((_, one) => oneByOne(changes, [one])), ...(rest.length > 0 ? [rest] : [])];
    const needs = things.map((stages) => needsOf(planner.changes, stages).flat(2));
    const doneIn = (done: number) => things.flatMap((stages, one) => (done & (1 << one) ? stages : []));
    const base = after(start, planner.changes, before);
    const stateOf = (done: number) => after(base, planner.changes, doneIn(done));
    const isKept = (done: number) => {
      const state = stateOf(done);
      return needs.every(
        (all, one) =>
          done & (1 << one) || all.every((need) => !permissions.allows(start, need) || permissions.allows(state, need)),
      );
    };
    const found = cheapestOrder(
      things.length,
      {
        costOf: (done) => (isKept(done) ? costOf([...before, ...doneIn(done)]) : Number.POSITIVE_INFINITY),
        canDo: (done, one) => {
          const state = stateOf(done);
          return (needs[one] ?? []).every((need) => permissions.allows(state, need));
        },
      },
      planner.budget,
    );
    return found?.order;
  }
}

/** Reorders the calls of a plan so that its caller can finish it, if there is such an order. */
export function orderForCaller(
  planner: Planner,
  ways: readonly Way[],
  permissions: OwnPermissions,
  isOwn: (change: Change) => boolean,
): OrderedWays {
  const together = sideBySide(ways);
  const missing = permissions.missing(planner.start, planner.changes, together.stages);
  // No order helps if the caller lacks the permissions from the beginning.
  if (missing.length === 0) return together;
  const way = ways.find(({ changes }) => changes.some(([, change]) => isOwn(change)));
  if (!way) return together;
  const others = ways.filter((one) => one !== way);
  const order = new CallerOrder(planner, permissions, [way, others], isOwn);
  for (const candidate of order.candidates()) if (order.canFinish(candidate.stages)) return candidate;
  return together;
}
