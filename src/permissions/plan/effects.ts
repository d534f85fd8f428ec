import type { AccessRegion } from '../../policy/analysis/analysis-types.js';
import { Collector } from '../../policy/analysis/collect.js';
import { attempt, attemptsOf, type PartialComparison, partial } from '../../policy/analysis/compare-partly.js';
import {
  type Attempt,
  type Difference,
  differencesOf,
  type FindAreas,
  type FindDifferences,
} from '../../policy/analysis/differences.js';
import { Model } from '../../policy/analysis/read-evaluator.js';
import { type Area, merge, subtract } from '../../policy/analysis/region.js';
import { Space } from '../../policy/analysis/space.js';
import { Work } from '../../policy/analysis/work.js';
import type { Evaluator, Policy, Role } from '../../policy/index.js';
import type { PlanChange, PlanStage } from '../model/plan-change.js';
import type { Reach } from './groups.js';

/** Access that differs while a plan is applied, and for how long. */
export interface MeanwhileRegion extends AccessRegion {
  /**
   * Indexes of the stages between which the difference exists: the first causes it, the second ends it. `apply` pauses
   * between stages, so it lasts for `ends - begins` pauses.
   */
  readonly stages: readonly [begins: number, ends: number];
}

/**
 * Access of an intermediate state that neither the start nor the end explains: `gained` is allowed by neither of the
 * two, `lost` is allowed by both.
 */
export interface Meanwhile extends PartialComparison {
  readonly gained: readonly MeanwhileRegion[];
  readonly lost: readonly MeanwhileRegion[];
}

/** Writes the content of a step, or of a whole change, into an evaluator. */
export function write(evaluator: Evaluator, change: PlanChange, content: PlanChange['after']): void {
  // The casts: the content is of the kind of its change.
  if (change.kind === 'binding') {
    const { user, group, role } = change;
    const scope = content as Policy | null;
    if (group !== undefined) {
      if (scope) evaluator.setGroupBinding({ group, role, scope });
      else evaluator.deleteGroupBinding(group, role);
    } else if (scope) evaluator.setBinding({ user, role, scope });
    else evaluator.deleteBinding(user, role);
  } else if (change.kind === 'policy') {
    if (content) evaluator.setPolicy(change.name, content as Policy);
    else evaluator.deletePolicy(change.name);
  } else if (content) evaluator.setRole(change.name, content as Role);
  else evaluator.deleteRole(change.name);
}

/** The state after some changes. */
export function withChanges(state: Evaluator, changes: readonly PlanChange[]): Evaluator {
  const evaluator = state.clone();
  for (const change of changes) write(evaluator, change, change.after);
  return evaluator;
}

/** The state after some stages. */
export function after(start: Evaluator, changes: readonly PlanChange[], stages: readonly PlanStage[]): Evaluator {
  const evaluator = start.clone();
  for (const { change, content } of stages.flat()) write(evaluator, changes[change] as PlanChange, content);
  return evaluator;
}

/** The largest share of `maxWork` that users with the same policies under other names may take together. */
const share = 0.5;

/** Compares the states between the stages with the start and the end. */
export class Effects {
  readonly #changes: readonly PlanChange[];
  readonly #work: Work;
  readonly #space: Space;
  readonly #differences: FindDifferences;
  readonly #attempt: Attempt;
  readonly #ends: readonly [start: Model, end: Model];
  readonly #notCompared = { users: new Set<string>(), roles: new Set<string>() };

  constructor(changes: readonly PlanChange[], start: Evaluator, end: Evaluator, maxWork: number | undefined) {
    this.#changes = changes;
    this.#work = new Work({ maxWork });
    this.#work.at = 'plan: the states between';
    this.#space = new Space(this.#work);
    this.#differences = differencesOf(this.#space);
    this.#attempt = attemptsOf(this.#work)(share);
    this.#ends = [new Model(start, this.#space), new Model(end, this.#space)];
  }

  /** The users and roles whose access differs after one of these stages, or could not be compared. */
  differing(stages: readonly PlanStage[], checks: readonly number[], reach: Reach): Reach {
    const subjects = { users: new Set<string>(), roles: new Set<string>() };
    for (const check of checks) {
      const state = after(this.#ends[0].evaluator, this.#changes, stages.slice(0, check + 1));
      for (const [kind, name, { gained, lost }] of this.#find(state, reach)) {
        if (gained.length + lost.length > 0) subjects[kind].add(name);
      }
    }
    for (const kind of ['users', 'roles'] as const) {
      for (const name of this.#notCompared[kind]) if (reach[kind].has(name)) subjects[kind].add(name);
    }
    return subjects;
  }

  /** The differences after each stage. One that ends and occurs again later is listed once, to its last stage. */
  meanwhile(stages: readonly PlanStage[], reach: Reach): Meanwhile {
    const regions = { gained: new Map<string, MeanwhileRegion>(), lost: new Map<string, MeanwhileRegion>() };
    const state = this.#ends[0].evaluator.clone();
    const isGroup = (name: string) => this.#ends.some((end) => end.isGroup(name));
    for (const [at, stage] of stages.slice(0, -1).entries()) {
      for (const { change, content } of stage) write(state, this.#changes[change] as PlanChange, content);
      const collectors = { gained: new Collector(isGroup), lost: new Collector(isGroup) };
      for (const [kind, name, { names, ...areas }] of this.#find(state.clone(), reach)) {
        for (const side of ['gained', 'lost'] as const) collectors[side].add(kind, name, areas[side], names);
      }
      for (const side of ['gained', 'lost'] as const) {
        for (const region of collectors[side].regions()) {
          const { witness: _, because: __, ...content } = region;
          const key = JSON.stringify(content);
          const counterpart = regions[side].get(key);
          regions[side].set(key, { ...(counterpart ?? region), stages: [counterpart?.stages[0] ?? at, at + 1] });
        }
      }
    }
    const [gained, lost] = [[...regions.gained.values()], [...regions.lost.values()]];
    return { ...partial({ gained, lost }, this.#notCompared.users, this.#notCompared.roles), gained, lost };
  }

  *#find(state: Evaluator, reach: Reach): Generator<readonly ['users' | 'roles', string, Difference]> {
    const models = [...this.#ends, new Model(state, this.#space)];
    const minus = (areas: readonly Area[], others: readonly Area[]) => [...subtract(areas, others, this.#work)];
    const find: FindAreas = (lists) => {
      const [a, b, now] = models.map((model, i) => model.areas(lists[i] ?? [])) as [Area[], Area[], Area[]];
      // Gained access is granted by neither end, lost access by both.
      const [gained, lost] = [minus(minus(now, a), b), minus(minus(a, now), minus(a, b))];
      return { gained: merge(gained, this.#work), lost: merge(lost, this.#work) };
    };
    for (const kind of ['users', 'roles'] as const) {
      for (const name of reach[kind]) {
        if (
          this.#notCompared[kind].has(name) ||
          (kind === 'roles' && !models.some((model) => model.rolesCount || model.isGroup(name)))
        )
          continue;
        const alternatives = (model: Model) =>
          kind === 'roles' ? model.named(name) : model.bound(model.evaluator.bindings(name));
        const compared = () => this.#differences(models.map(alternatives), find, this.#attempt);
        const differences = attempt(this.#work, share, compared);
        if (differences === undefined) this.#notCompared[kind].add(name);
        for (const difference of differences ?? []) yield [kind, name, difference];
      }
    }
  }
}
