import { Collector } from '../../policy/analysis/collect.js';
import { type PartialComparison, partial } from '../../policy/analysis/compare.js';
import { type Difference, Differences, type FindAreas } from '../../policy/analysis/differences.js';
import { Model } from '../../policy/analysis/model.js';
import { type Area, merge, subtract } from '../../policy/analysis/region.js';
import { remember, Space } from '../../policy/analysis/space.js';
import type { AccessRegion } from '../../policy/analysis/types.js';
import { Work } from '../../policy/analysis/work.js';
import type { Evaluator, Policy, Role } from '../../policy/index.js';
import type { Change, Stage } from '../model/change.js';

/** The users and roles that some changes reach. */
export interface Reach {
  readonly users: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

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
export function write(evaluator: Evaluator, change: Change, content: Change['after']): void {
  // The casts: the content is of the kind of its change.
  if (change.kind === 'binding') {
    const { user, role } = change;
    if (content) evaluator.setBinding({ user, role, scope: content as Policy });
    else evaluator.deleteBinding(user, role);
  } else if (change.kind === 'policy') {
    if (content) evaluator.setPolicy(change.name, content as Policy);
    else evaluator.deletePolicy(change.name);
  } else if (content) evaluator.setRole(change.name, content as Role);
  else evaluator.deleteRole(change.name);
}

/** The state after some stages. */
export function after(start: Evaluator, changes: readonly Change[], stages: readonly Stage[]): Evaluator {
  const evaluator = start.clone();
  for (const { change, content } of stages.flat()) write(evaluator, changes[change] as Change, content);
  return evaluator;
}

/** Groups regions by the stages between which they exist. */
class TimedRegions {
  readonly #collectors = new Map<
    string,
    { readonly collector: Collector; readonly stages: readonly [number, number] }
  >();

  /** Returns the collector for differences that one stage causes and another ends. */
  between(begins: number, ends: number): Collector {
    const make = () => ({ collector: new Collector(), stages: [begins, ends] as const });
    return remember(this.#collectors, `${begins} ${ends}`, make).collector;
  }

  /** Returns all regions; a region that exists across several stages is returned once. */
  regions(): MeanwhileRegion[] {
    const found = new Map<string, MeanwhileRegion>();
    const inTime = [...this.#collectors.values()].sort((a, b) => a.stages[0] - b.stages[0]);
    for (const { collector, stages } of inTime) {
      for (const region of collector.regions()) {
        const { witness: _, because: __, ...content } = region;
        const key = JSON.stringify(content);
        const known = found.get(key);
        // A difference that ends and occurs again later is listed once, from its first stage to its last.
        const ends = Math.max(known?.stages[1] ?? 0, stages[1]);
        found.set(key, known ? { ...known, stages: [known.stages[0], ends] } : { ...region, stages });
      }
    }
    return [...found.values()];
  }
}

/** Users and roles that gain or lose access in an intermediate state, compared with both the start and the end. */
export interface Differing {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** The largest share of `maxWork` that users with the same policies under other names may take together. */
const share = 0.5;

/** Compares intermediate states with the start and the end. */
export class Effects {
  readonly #work: Work;
  readonly #space: Space;
  readonly #differences: Differences;
  readonly #start: Model;
  readonly #end: Model;
  readonly #gained = new TimedRegions();
  readonly #lost = new TimedRegions();
  readonly #notCompared = { users: new Set<string>(), roles: new Set<string>() };

  constructor(start: Evaluator, end: Evaluator, maxWork: number | undefined) {
    this.#work = new Work({ maxWork });
    this.#work.at = 'plan: the states between';
    this.#space = new Space(this.#work);
    this.#differences = new Differences(this.#space);
    this.#start = new Model(start, this.#space);
    this.#end = new Model(end, this.#space);
  }

  /**
   * True if a state grants nothing beyond the start and the end, and everything that both of them grant. Subjects
   * beyond `maxWork` are not compared.
   */
  isClean(state: Evaluator, reach: Reach): boolean {
    for (const [, , { gained, lost }] of this.#find(state, reach)) if (gained.length + lost.length > 0) return false;
    return true;
  }

  /** Finds the subjects that gain or lose access in at least one of these intermediate states. */
  differing(states: readonly Evaluator[], reach: Reach): Differing {
    const [gained, lost] = [new Set<string>(), new Set<string>()];
    for (const state of states) {
      for (const [kind, name, difference] of this.#find(state, reach)) {
        const subject = JSON.stringify([kind, name]);
        if (difference.gained.length > 0) gained.add(subject);
        if (difference.lost.length > 0) lost.add(subject);
      }
    }
    return { gained: [...gained], lost: [...lost] };
  }

  /** Collects the access gained and lost in an intermediate state that lasts from stage `begins` to stage `ends`. */
  collect(state: Evaluator, reach: Reach, begins: number, ends: number): void {
    for (const [kind, name, { gained, lost, names }] of this.#find(state, reach)) {
      this.#gained.between(begins, ends).add(kind, name, gained, names);
      this.#lost.between(begins, ends).add(kind, name, lost, names);
    }
  }

  /** Returns all collected differences. */
  collected(): Meanwhile {
    const { users, roles } = this.#notCompared;
    const [gained, lost] = [this.#gained.regions(), this.#lost.regions()];
    return { ...partial({ gained, lost }, users, roles), gained, lost };
  }

  *#find(state: Evaluator, reach: Reach): Generator<readonly ['users' | 'roles', string, Difference]> {
    const models = [this.#start, this.#end, new Model(state, this.#space)] as const;
    const find: FindAreas = (lists) => {
      const [a, b, now] = models.map((model, i) => model.areas(lists[i] ?? [])) as [Area[], Area[], Area[]];
      const minus = (one: readonly Area[], other: readonly Area[]) => [...subtract(one, other, this.#work)];
      return {
        gained: merge(minus(minus(now, a), b), this.#work),
        // Access that the start and the end grant, but this state does not.
        lost: merge(minus(minus(a, now), minus(a, b)), this.#work),
      };
    };
    for (const kind of ['users', 'roles'] as const) {
      if (kind === 'roles' && !this.#start.hasRoles) continue;
      const tooLarge = this.#notCompared[kind];
      for (const name of reach[kind]) {
        if (tooLarge.has(name)) continue;
        const alternatives = (model: Model) =>
          kind === 'roles' ? model.named(name) : model.bound(model.evaluator.bindings(name));
        const found = this.#work.attempt(share, () => this.#differences.find(models.map(alternatives), find, share));
        if (found === undefined) tooLarge.add(name);
        for (const difference of found ?? []) yield [kind, name, difference];
      }
    }
  }
}
