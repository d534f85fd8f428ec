import { Collector } from '../analysis/collect.js';
import type { AccessRegion } from '../analysis/index.js';
import { type Alternative, Model } from '../analysis/model.js';
import { type Area, merge, subtract } from '../analysis/region.js';
import { Space } from '../analysis/space.js';
import { Work } from '../analysis/work.js';
import type { Evaluator, Policy, Role } from '../policy/index.js';
import type { Change, Stage } from './change.js';

/** The users and roles that some changes reach. */
export interface Reach {
  readonly users: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

/** Access in a state between two others that differs from both. */
export interface Meanwhile {
  /** Allowed, although neither side allows it. */
  readonly gained: readonly AccessRegion[];
  /** Denied, although both sides allow it. */
  readonly lost: readonly AccessRegion[];
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

/** Compares intermediate states with the start and the end. */
export class Effects {
  readonly #work: Work;
  readonly #space: Space;
  readonly #start: Model;
  readonly #end: Model;
  readonly #gained: Collector;
  readonly #lost: Collector;

  constructor(start: Evaluator, end: Evaluator, maxWork: number | undefined) {
    this.#work = new Work({ maxWork });
    this.#work.at = 'plan: the states between';
    this.#space = new Space(this.#work);
    this.#start = new Model(start, this.#space);
    this.#end = new Model(end, this.#space);
    this.#gained = new Collector(this.#work);
    this.#lost = new Collector(this.#work);
  }

  /** True if a state grants nothing that neither side grants, and everything that both sides grant. */
  isClean(state: Evaluator, reach: Reach): boolean {
    for (const [, , gained, lost] of this.#differences(state, reach)) if (gained.length + lost.length > 0) return false;
    return true;
  }

  /** Collects how a state differs from both sides. */
  collect(state: Evaluator, reach: Reach): void {
    for (const [kind, name, gained, lost] of this.#differences(state, reach)) {
      this.#gained.add(kind, name, gained);
      this.#lost.add(kind, name, lost);
    }
  }

  /** Everything that was collected. */
  collected(): Meanwhile {
    return { gained: this.#gained.regions(), lost: this.#lost.regions() };
  }

  *#differences(
    state: Evaluator,
    { users, roles }: Reach,
  ): Generator<readonly ['users' | 'roles', string, readonly Area[], readonly Area[]]> {
    const models = [this.#start, this.#end, new Model(state, this.#space)] as const;
    const compare = (alternatives: (model: Model) => readonly Alternative[]) => {
      const [a, b, now] = models.map((model) => model.areas(alternatives(model))) as [Area[], Area[], Area[]];
      const minus = (one: readonly Area[], other: readonly Area[]) => [...subtract(one, other, this.#work)];
      const gained = merge(minus(minus(now, a), b), this.#work);
      // Access that the start and the end grant, but the state does not.
      const lost = merge(minus(minus(a, now), minus(a, b)), this.#work);
      return [gained, lost] as const;
    };
    for (const user of users) {
      yield ['users', user, ...compare((model) => model.bound(model.evaluator.bindings(user)))];
    }
    for (const role of roles) {
      if (this.#start.hasRoles) yield ['roles', role, ...compare((model) => model.named(role))];
    }
  }
}
