import type { Binding } from '../index.js';
import type { AlternativeLists } from './differences.js';
import type { Alternative, Model } from './read-evaluator.js';
import { type Area, merge, subtract } from './region.js';
import { remember, type Space } from './space.js';

/** A user, or a role or group that subjects name, and its alternatives before and after. */
export interface Subject {
  readonly kind: 'users' | 'roles';
  readonly name: string;
  readonly lists: () => AlternativeLists;
}

type BoundRole = Pick<Binding, 'role' | 'scope'>;

export class Comparer {
  readonly #before: Model;
  readonly #after: Model;
  readonly #space: Space;
  readonly #sameRoles = new Map<string, boolean>();

  constructor(before: Model, after: Model, space: Space) {
    this.#before = before;
    this.#after = after;
    this.#space = space;
  }

  /** The users whose access may have changed: only the named ones, or all. */
  users(names: readonly string[] | undefined): Subject[] {
    const [had, has] = [this.#before.users(), this.#after.users()];
    return [...new Set(names ?? [...had.keys(), ...has.keys()])].flatMap((name): Subject[] => {
      const [before, after] = [had.get(name) ?? [], has.get(name) ?? []];
      return this.#isUntouched(before, after) ? [] : [this.#user(name, before, after)];
    });
  }

  /** Lists all users without reading their bindings. */
  allUsers(names: readonly string[] | undefined): Subject[] {
    const [before, after] = [this.#before.evaluator, this.#after.evaluator];
    return [...new Set(names ?? [...before.users(), ...after.users()])].map((name) =>
      this.#user(name, before.bindings(name), after.bindings(name)),
    );
  }

  /** The roles and groups that may have changed, for subjects that name them: only the named ones, or all. */
  roles(names: readonly string[] | undefined): Subject[] {
    const models = [this.#before, this.#after];
    return [...new Set(names ?? models.flatMap((model) => model.names()))].flatMap((name): Subject[] =>
      this.#isUntouchedName(name)
        ? []
        : [{ kind: 'roles', name, lists: () => models.map((model) => model.named(name)) }],
    );
  }

  #user(name: string, before: readonly Binding[], after: readonly Binding[]): Subject {
    return { kind: 'users', name, lists: () => [this.#before.bound(before), this.#after.bound(after)] };
  }

  /** True if nothing about a role has changed, nor about the bindings of a group. */
  #isUntouchedName(name: string): boolean {
    const scopeOf = ({ evaluator }: Model) => evaluator.role(name)?.scope;
    const bound = (model: Model) => (model.isGroup(name) ? model.evaluator.groupBindings(name) : []);
    return (
      this.#isUntouched(bound(this.#before), bound(this.#after)) &&
      this.#isSameRole(name) &&
      scopeOf(this.#before) === scopeOf(this.#after)
    );
  }

  /**
   * True if neither the bindings of a user or group nor their roles have changed. Compares scopes by identity, without
   * reading them.
   */
  #isUntouched(before: readonly BoundRole[], after: readonly BoundRole[]): boolean {
    return (
      this.#isSameFidelity &&
      before.length === after.length &&
      before.every(({ role, scope }, i) => {
        const other = after[i] as BoundRole;
        return role === other.role && scope === other.scope && this.#isSameRole(role);
      })
    );
  }

  /** Computes the access gained and lost between two lists of alternatives. */
  difference([before = [], after = []]: AlternativeLists) {
    const [had, has] = [this.#contentsOf(before), this.#contentsOf(after)];
    const lost = before.filter((_, i) => !has.includes(had[i] as string));
    const gained = after.filter((_, i) => !had.includes(has[i] as string));
    return {
      gained: this.#beyond(this.#after.areas(gained), gained.length > 0 ? this.#before.areas(before) : []),
      lost: this.#beyond(this.#before.areas(lost), lost.length > 0 ? this.#after.areas(after) : []),
    };
  }

  get #isSameFidelity(): boolean {
    return this.#before.evaluator.fidelity === this.#after.evaluator.fidelity;
  }

  #beyond(areas: readonly Area[], others: readonly Area[]): readonly Area[] {
    const { work } = this.#space;
    return merge(others.length > 0 ? [...subtract(areas, others, work)] : areas, work);
  }

  /** Keys of alternatives. Alternatives with equal keys grant the same. */
  #contentsOf(alternatives: readonly Alternative[]): string[] {
    return alternatives.map(({ role, scopes }) => {
      const inside = scopes.map((scope) => this.#space.contentOf(scope, [scope])).sort();
      return [this.#space.contentOf(role, role.parts), ...inside].join();
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
