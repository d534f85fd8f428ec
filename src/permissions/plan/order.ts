import type { Evaluator, Policy } from '../../policy/index.js';
import type { Change, Stage } from '../model/change.js';
import { type Component, splitComponents } from './components.js';
import { after, type Effects, type Reach } from './effects.js';
import { cheapestOrder, type SearchBudget } from './search.js';
import { type Ordered, orderStages, type PlanOrder, type RoleLists } from './stages.js';
import { type OrderedWays, oneByOne, type Way } from './ways.js';

/** States that one plan may look at in search of an order. */
const mostStates = 4_096;

/** Subjects that the search for the best order of one component may compare, in all states together. */
const mostCompared = 20_000;

/** The cost of a subject that is granted more than either side grants, or less than both do. */
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

  /** The stages of each component. Changes that `together` tells are in one component. */
  ways(together: (change: Change) => boolean): Way[] {
    return splitComponents(this.changes, [this.start, this.#end], together).map((one) => this.#wayOf(one));
  }

  /** Collects what differs between the stages. */
  collect({ ways, stages }: OrderedWays): void {
    for (const way of ways) if (!way.isClean) this.#collect(way, stages);
  }

  /** The stages of a component in one of the two orders. */
  split({ changes, reach }: Pick<Component, 'changes' | 'reach'>, order: PlanOrder): Ordered {
    const find = (name: string): readonly (Policy | null)[] =>
      [this.start, this.#end].map((state) => state.policy(name) ?? null);
    // A role is reached if it changes, or if one of its policies does.
    const lists = { before: listsOf(this.start, reach.roles), after: listsOf(this.#end, reach.roles) };
    return orderStages(changes, order, find, lists);
  }

  after(stages: readonly Stage[]): Evaluator {
    return after(this.start, this.changes, stages);
  }

  /** The cost of states, by the subjects whose access differs from both sides. */
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
    // Where many subjects differ in every order, only an order without any difference is looked for.
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

  /** Collects what differs between the stages in which the calls of a component are made. */
  #collect({ changes, reach }: Way, stages: readonly Stage[]): void {
    const changed = new Set(changes.map(([at]) => at));
    const places = stages.flatMap((stage, i) => (stage.some(({ change }) => changed.has(change)) ? i : []));
    for (const [i, begins] of places.slice(0, -1).entries()) {
      // The cast: there is one more place.
      const ends = places[i + 1] as number;
      this.effects.collect(this.after(stages.slice(0, begins + 1)), reach, begins, ends);
    }
  }
}
