import type { Change, Stage } from '../model/change.js';
import { after } from './effects.js';
import { needsOf } from './needs.js';
import type { Planner } from './order.js';
import type { OwnPermissions } from './own-access.js';
import { cheapestOrder } from './search.js';
import { type OrderedWays, oneByOne, sideBySide, type Way, zip } from './ways.js';

// The order of a plan whose caller loses permissions by it: what the caller loses comes last, as far as an order of the
// calls allows. The caller, or in grant-first order all users, may be granted more meanwhile; the plan lists it.

/** Stages without the calls of some changes. */
const leaveOut = (stages: readonly Stage[], changes: ReadonlySet<number>): Stage[] =>
  stages.map((stage) => stage.filter(({ change }) => !changes.has(change))).filter((stage) => stage.length > 0);

/** Looks for an order of the calls in which a caller can finish. */
class CallerOrder {
  readonly #planner: Planner;
  readonly #own: OwnPermissions;
  /** The changes that reach the caller, and those in one component with them. */
  readonly #way: Way;
  readonly #others: readonly Way[];
  readonly #isOwn: (change: Change) => boolean;

  constructor(
    planner: Planner,
    own: OwnPermissions,
    [way, others]: readonly [Way, readonly Way[]],
    isOwn: (change: Change) => boolean,
  ) {
    this.#planner = planner;
    this.#own = own;
    this.#way = way;
    this.#others = others;
    this.#isOwn = isOwn;
  }

  /** The orders to try, the best first. */
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
      // The caller's own bindings alone delay nothing for other users.
      for (const last of [losing.filter(([, { kind }]) => kind === 'binding'), losing]) {
        if (last.length === 0) continue;
        const early = leaveOut(stages, new Set(last.map(([at]) => at)));
        const late = this.#lastOf([...rest, ...early], last);
        yield { ways: dirty, stages: [...zip([rest, early]), ...late] };
        yield { ways: dirty, stages: [...early, ...rest, ...late] };
      }
    }
  }

  /** True if the caller has all permissions that calls need, in each state that stages can reach. */
  canFinish(stages: readonly Stage[]): boolean {
    return this.#own.missing(this.#planner.start, this.#planner.changes, stages).length === 0;
  }

  /** The changes that take management permissions from the caller. */
  #losing(): Way['changes'] {
    const { start } = this.#planner;
    return this.#way.changes.filter(([at, change]) => {
      if (!this.#isOwn(change)) return false;
      return this.#own.lost(start, this.#planner.after([[{ change: at, content: change.after }]])).length > 0;
    });
  }

  /** The calls of some changes one after the other, so that each is allowed before it is made. */
  #lastOf(before: readonly Stage[], last: Way['changes']): Stage[] {
    const given = last.map((_, i) => i);
    const found = this.#search(last, before, () => 0);
    return oneByOne(last, found ?? given);
  }

  /** All calls of the caller's component one after the other, and those of all others at the best time between. */
  #searched(rest: readonly Stage[]): Stage[] | undefined {
    const { changes, reach } = this.#way;
    const planner = this.#planner;
    const costOf = (stages: readonly Stage[]) => planner.costOf([planner.after(stages)], reach);
    if (rest.length === 0) {
      const order = this.#search(changes, [], costOf);
      return order && oneByOne(changes, order);
    }
    // One thing more stands for the calls of all others, whose changes do not reach the caller.
    const order = this.#search(changes, [], costOf, rest);
    return order?.flatMap((one) => (one === changes.length ? rest : oneByOne(changes, [one])));
  }

  /** An order of changes in which the caller may make each call when its turn comes. */
  #search(
    changes: Way['changes'],
    before: readonly Stage[],
    costOf: (stages: readonly Stage[]) => number,
    rest: readonly Stage[] = [],
  ): readonly number[] | undefined {
    const [planner, own] = [this.#planner, this.#own];
    const { start } = planner;
    const things = [...changes.map((_, one) => oneByOne(changes, [one])), ...(rest.length > 0 ? [rest] : [])];
    const needs = things.map((stages) => needsOf(planner.changes, stages).flat(2));
    const doneIn = (done: number) => things.flatMap((stages, one) => (done & (1 << one) ? stages : []));
    const base = after(start, planner.changes, before);
    const stateOf = (done: number) => after(base, planner.changes, doneIn(done));
    const isKept = (done: number) => {
      const state = stateOf(done);
      return needs.every(
        (all, one) => done & (1 << one) || all.every((need) => !own.allows(start, need) || own.allows(state, need)),
      );
    };
    const found = cheapestOrder(
      things.length,
      {
        costOf: (done) => (isKept(done) ? costOf([...before, ...doneIn(done)]) : Number.POSITIVE_INFINITY),
        canDo: (done, one) => {
          const state = stateOf(done);
          return (needs[one] ?? []).every((need) => own.allows(state, need));
        },
      },
      planner.budget,
    );
    return found?.order;
  }
}

/** Orders the calls of a plan so that its caller can finish it, if an order is found that allows it. */
export function orderForCaller(
  planner: Planner,
  ways: readonly Way[],
  own: OwnPermissions,
  isOwn: (change: Change) => boolean,
): OrderedWays {
  const together = sideBySide(ways);
  const missing = own.missing(planner.start, planner.changes, together.stages);
  // Permissions that the caller never had do not depend on the order.
  if (missing.length === 0) return together;
  const way = ways.find(({ changes }) => changes.some(([, change]) => isOwn(change)));
  if (!way) return together;
  const others = ways.filter((one) => one !== way);
  const order = new CallerOrder(planner, own, [way, others], isOwn);
  for (const candidate of order.candidates()) if (order.canFinish(candidate.stages)) return candidate;
  return together;
}
