import type { Binding } from '../policy/index.js';
import { Collector } from './collect.js';
import { type Alternative, Model, readEvaluator } from './model.js';
import { readNames } from './read-input.js';
import { type Area, merge, subtract } from './region.js';
import { remember, Space } from './space.js';
import type { AnalysisOptions, AnalysisState, Comparison } from './types.js';
import { Work } from './work.js';

/** Options of `compare`. */
export interface CompareOptions extends AnalysisOptions {
  /** Only these users. Default, without users and roles: all that either state knows. */
  readonly users?: readonly string[] | undefined;
  /** Only the access that these roles give to each subject that names them (documented fidelity). */
  readonly roles?: readonly string[] | undefined;
}

interface Difference {
  readonly gained: readonly Area[];
  readonly lost: readonly Area[];
}

/** Compares two states subject by subject. */
class Comparer {
  readonly #before: Model;
  readonly #after: Model;
  readonly #space: Space;
  readonly #sameRoles = new Map<string, boolean>();
  readonly #differences = new Map<string, Difference>();

  constructor(before: Model, after: Model, space: Space) {
    this.#before = before;
    this.#after = after;
    this.#space = space;
  }

  /** True if nothing about a role has changed. */
  isUntouchedRole(name: string): boolean {
    const scopeOf = ({ evaluator }: Model) => evaluator.role(name)?.scope;
    return this.#isSameFidelity && this.#isSameRole(name) && scopeOf(this.#before) === scopeOf(this.#after);
  }

  /** True if nothing about a user has changed, found without reading the content of bindings. */
  isUntouched(before: readonly Binding[], after: readonly Binding[]): boolean {
    return (
      this.#isSameFidelity &&
      before.length === after.length &&
      before.every(({ role, scope }, i) => {
        const other = after[i] as Binding;
        return role === other.role && scope === other.scope && this.#isSameRole(role);
      })
    );
  }

  /** The difference between the access of two lists of alternatives. */
  difference(before: readonly Alternative[], after: readonly Alternative[]): Difference {
    const [had, has] = [this.#keysOf(before), this.#keysOf(after)];
    const key = JSON.stringify([had, has]);
    return remember(this.#differences, key, () => {
      const lost = before.filter((_, i) => !has.some(({ content }) => content === had[i]?.content));
      const gained = after.filter((_, i) => !had.some(({ content }) => content === has[i]?.content));
      return {
        gained: this.#beyond(this.#after.areas(gained), gained.length > 0 ? this.#before.areas(before) : []),
        lost: this.#beyond(this.#before.areas(lost), lost.length > 0 ? this.#after.areas(after) : []),
      };
    });
  }

  get #isSameFidelity(): boolean {
    return this.#before.evaluator.fidelity === this.#after.evaluator.fidelity;
  }

  #beyond(areas: readonly Area[], others: readonly Area[]): readonly Area[] {
    const { work } = this.#space;
    return merge(others.length > 0 ? [...subtract(areas, others, work)] : areas, work);
  }

  /** The keys of alternatives: names, for the reasons, and contents, equal for alternatives that grant the same. */
  #keysOf(alternatives: readonly Alternative[]) {
    return alternatives.map(({ via, role, scopes }) => {
      const inside = scopes.map((scope) => this.#space.contentOf(scope, [scope])).sort();
      return { via, role: role.name, content: [this.#space.contentOf(role, role.parts), ...inside].join() };
    });
  }

  #isSameRole(name: string): boolean {
    return remember(this.#sameRoles, name, (): boolean => {
      const [before, after] = [this.#before.evaluator, this.#after.evaluator];
      const [policies, others] = [before.role(name)?.policies, after.role(name)?.policies];
      if (policies === undefined || others === undefined) return policies === others;
      return (
        policies.length === others.length &&
        policies.every((policy, i) => policy === others[i] && before.policy(policy) === after.policy(policy))
      );
    });
  }
}

/**
 * Finds all access that differs between two states: of users and, in documented fidelity, of subjects that name a role.
 * Two states that decide alike compare equal, however they are written. Each region comes with a question that proves
 * it. Parts that an evaluator and its changed `clone()` share cost next to nothing.
 *
 * @throws AnalysisError (code `ANALYSIS`) for options that are not valid, and above `maxWork`; PolicyError (code
 *   `POLICY`) for a state that does not validate.
 *
 * @example
 * ```ts
 * import { compare, formatComparison } from 'arango-services/analysis';
 * import { createEvaluator } from 'arango-services/policy';
 *
 * const before = createEvaluator();
 * const after = before.clone();
 * after.setPolicy('reader', { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] });
 * after.setRole('viewer', { policies: ['reader'] });
 * console.log(formatComparison(compare(before, after)));
 * // + role "viewer": orders:read on *
 * //     for example "orders:read" on "x"
 * ```
 */
export function compare(before: AnalysisState, after: AnalysisState, options: CompareOptions = {}): Comparison {
  const work = new Work(options);
  const [users, roles] = [readNames('users', options.users), readNames('roles', options.roles)];
  const space = new Space(work);
  work.at = 'compare: reading the bindings';
  const [old, now] = [
    new Model(readEvaluator(before, options), space),
    new Model(readEvaluator(after, options), space),
  ];
  const comparer = new Comparer(old, now, space);
  const [gained, lost] = [new Collector(work), new Collector(work)];
  const add = (kind: 'users' | 'roles', name: string, one: readonly Alternative[], other: readonly Alternative[]) => {
    const difference = comparer.difference(one, other);
    gained.add(kind, name, difference.gained);
    lost.add(kind, name, difference.lost);
  };
  if (users || !roles) {
    const [had, has] = [old.users(), now.users()];
    for (const user of new Set(users ?? [...had.keys(), ...has.keys()])) {
      const [one, other] = [had.get(user) ?? [], has.get(user) ?? []];
      work.at = `compare: user ${JSON.stringify(user)}`;
      if (!comparer.isUntouched(one, other)) add('users', user, old.bound(one), now.bound(other));
    }
  }
  if (roles || !users) {
    const names = (model: Model) => (model.hasRoles ? model.evaluator.roles() : []);
    for (const role of new Set(roles ?? [...names(old), ...names(now)])) {
      const named = (model: Model) => (model.hasRoles ? model.named(role) : []);
      work.at = `compare: role ${JSON.stringify(role)}`;
      if (!comparer.isUntouchedRole(role)) add('roles', role, named(old), named(now));
    }
  }
  return { gained: gained.regions(), lost: lost.regions() };
}
