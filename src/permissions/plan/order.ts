import type { Evaluator, Policy } from '../../policy/index.js';
import type { Change, Stage } from '../model/change.js';
import { type Component, splitComponents } from './components.js';
import { after, type Effects, type Reach } from './effects.js';
import { cheapestOrder, type SearchBudget } from './search.js';
import { type Ordered, orderStages, type PlanOrder, type RoleLists } from './stages.js';
import { type OrderedWays, oneByOne, type Way } from './ways.js';

/** The maximum number of states that one plan examines to find an order. */
const mostStates = 4_096;

/** The maximum number of subjects to compare, over all states, in the search for a component's best order. */
const mostCompared = 20_000;

/** The cost of each subject that temporarily gains or loses access. */
interface Weights {
  readonly gained: number;
  readonly lost: number;
}

const listsOf = (state: Evaluator, names: Iterable<string>): RoleLists => {
  const found = new Map<string, readonly string[]>();
  for (const name of names) {
    const role = state.role(name);
    if (role) found.set(name, role.policies);
  }
  return found;
};

/** Chooses the order of the calls of a plan. */
export class Planner {
  readonly changes: readonly Change[];
  readonly start: Evaluator;
  readonly effects: Effects;
  readonly preferred: readonly [PlanOrder, PlanOrder];
  readonly #weights: Weights;
  readonly budget: SearchBudget = { states: mostStates };
  readonly #end: Evaluator;

  constructor(changes: readonly Change[], start: Evaluator, end: Evaluator, order: PlanOrder, effects: Effects) {
    this.changes = changes;
    this.start = start;
    this.#end = end;
    this.effects = effects;
    const isGrant = order === 'grant-first';
    this.preferred = isGrant ? ['grant-first', 'revoke-first'] : ['revoke-first', 'grant-first'];
    this.#weights = isGrant ? { gained: 1, lost: 1e6 } : { gained: 1e6, lost: 1 };
  }

  /** Returns the stages of each component. All changes for which `together` returns true are put into one component. */
  ways(together: (change: Change) => boolean): Way[] {
    return splitComponents(this.changes, [this.start, this.#end], together).map((one) => this.#wayOf(one));
  }

  /** Collects the temporary differences after each stage. */
  collect({ ways, stages }: OrderedWays): void {
    for (const way of ways) if (!way.isClean) this.#collect(way, stages);
  }

  /** The stages of a component in the given order. */
  split({ changes, reach }: Pick<Component, 'changes' | 'reach'>, order: PlanOrder): Ordered {
    const find = (name: string): readonly (Policy | null)[] =>
      [this.start, this.#end].map((state) => state.policy(name) ?? null);
    // `reach.roles` holds roles that change themselves or use a policy that changes.
    const lists = { before: listsOf(this.start, reach.roles), after: listsOf(this.#end, reach.roles) };
    return orderStages(changes, order, find, lists);
  }

  after(stages: readonly Stage[]): Evaluator {
    return after(this.start, this.changes, stages);
  }

  /** The cost of states, by the subjects that temporarily gain or lose access in them. */
  costOf(states: readonly Evaluator[], reach: Reach): number {
    const { gained, lost } = this.effects.differing(states, reach);
    return gained.length * this.#weights.gained + lost.length * this.#weights.lost;
  }

  #wayOf(component: Component): Way {
    const { changes, reach } = component;
    const splits = this.preferred.map((order) => {
      const { stages, checks } = this.split(component, order);
      return { stages, states: checks.map((last) => this.after(stages.slice(0, last + 1))) };
    });
    for (const { stages, states } of splits) {
      if (states.every((state) => this.effects.isClean(state, reach))) return { reach, changes, stages, isClean: true };
    }
    // With many subjects, comparing costs is too slow: only an order without any temporary difference is accepted.
    const isSmall = 2 ** changes.length * (reach.users.size + reach.roles.size) <= mostCompared;
    const costOf = (done: number) => {
      const order = changes.flatMap((_, one) => (done & (1 << one) ? one : []));
      const state = this.after(oneByOne(changes, order));
      if (isSmall) return this.costOf([state], reach);
      return this.effects.isClean(state, reach) ? 0 : Number.POSITIVE_INFINITY;
    };
    const found = cheapestOrder(changes.length, { costOf }, this.budget);
    // The cast: there are two orders.
    const kept = splits[0] as (typeof splits)[number];
    if (found) {
      const stages = oneByOne(changes, found.order);
      if (found.cost === 0) return { reach, changes, stages, isClean: true };
      const states = stages.slice(0, -1).map((_, i) => this.after(stages.slice(0, i + 1)));
      if (this.costOf(states, reach) < this.costOf(kept.states, reach)) {
        return { reach, changes, stages, isClean: false };
      }
    }
    return { reach, changes, stages: kept.stages, isClean: false };
  }

  /** Collects the temporary differences after each stage that contains a call of this component. */
  #collect({ changes, reach }: Way, stages: readonly Stage[]): void {
    const changed = new Set(changes.map(([at]) => at));
    const places = stages.flatMap((stage, i) => (stage.some(({ change }) => changed.has(change)) ? i : []));
    for (const [i, begins] of places.slice(0, -1).entries()) {
      // The cast: the loop leaves out the last place.
      const ends = places[i + 1] as number;
      this.effects.collect(this.after(stages.slice(0, begins + 1)), reach, begins, ends);
    }
  }
}
