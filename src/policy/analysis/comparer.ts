import { remember } from '../../base/lib/remember.js';
import type { Binding } from '../index.js';
import type { AlternativeLists, FindAreas } from './differences.js';
import type { Alternative, Model } from './read-evaluator.js';
import { type Area, merge, subtract } from './region.js';
import type { Space } from './space.js';

/** A user, or a role or group that subjects name, and its alternatives before and after. */
export interface Subject {
  readonly kind: 'users' | 'roles';
  readonly name: string;
  readonly lists: () => AlternativeLists;
}

type BoundRole = Pick<Binding, 'role' | 'scope'>;

/** The subjects of two states, and their differences. */
export interface Comparer {
  /** The users whose access may have changed: only the named ones, or all. */
  users(names: readonly string[] | undefined): Subject[];
  /** The roles and groups that may have changed, for subjects that name them: only the named ones, or all. */
  roles(names: readonly string[] | undefined): Subject[];
  /** Computes the access gained and lost between two lists of alternatives. */
  readonly difference: FindAreas;
}

export function comparerOf(before: Model, after: Model, space: Space): Comparer {
  const [old, now] = [before.evaluator, after.evaluator];
  const models = [before, after];
  const sameRoles = new Map<string, boolean>();
  const isSameRole = (name: string): boolean =>
    remember(sameRoles, name, (): boolean => {
      const [policies, others] = [old.role(name)?.policies, now.role(name)?.policies];
      if (policies === undefined || others === undefined) return policies === others;
      return (
        policies.length === others.length &&
        policies.every((policy, i) => policy === others[i] && old.policy(policy) === now.policy(policy))
      );
    });
  /** True if neither bindings nor their roles have changed. Compares scopes by identity, without reading them. */
  const isUntouched = (had: readonly BoundRole[], has: readonly BoundRole[]): boolean =>
    old.fidelity === now.fidelity &&
    had.length === has.length &&
    had.every(({ role, scope }, i) => role === has[i]?.role && scope === has[i]?.scope && isSameRole(role));
  /** True if nothing about a role has changed, nor about the bindings of a group. */
  const isUntouchedName = (name: string): boolean => {
    const bound = (model: Model) => (model.isGroup(name) ? model.evaluator.groupBindings(name) : []);
    return (
      isUntouched(bound(before), bound(after)) && isSameRole(name) && old.role(name)?.scope === now.role(name)?.scope
    );
  };
  const toUser = (name: string, had: readonly Binding[], has: readonly Binding[]): Subject => ({
    kind: 'users',
    name,
    lists: () => [before.bound(had), after.bound(has)],
  });
  /** Keys of alternatives. Alternatives with equal keys grant the same. */
  const contentsOf = (alternatives: readonly Alternative[]): string[] =>
    alternatives.map(({ role, scopes }) => {
      const inside = scopes.map((scope) => space.contentOf(scope, [scope])).sort();
      return [space.contentOf(role, role.parts), ...inside].join();
    });
  const beyond = (areas: readonly Area[], others: readonly Area[]): readonly Area[] =>
    merge(others.length > 0 ? [...subtract(areas, others, space.work)] : areas, space.work);
  return {
    users(names) {
      const [had, has] = [before.users(), after.users()];
      return [...new Set(names ?? [...had.keys(), ...has.keys()])].flatMap((name): Subject[] => {
        const [own, others] = [had.get(name) ?? [], has.get(name) ?? []];
        return isUntouched(own, others) ? [] : [toUser(name, own, others)];
      });
    },
    roles: (names) =>
      [...new Set(names ?? models.flatMap((model) => model.names()))].flatMap((name): Subject[] =>
        isUntouchedName(name) ? [] : [{ kind: 'roles', name, lists: () => models.map((model) => model.named(name)) }],
      ),
    difference([had = [], has = []]) {
      const [contents, others] = [contentsOf(had), contentsOf(has)];
      const lost = had.filter((_, i) => !others.includes(contents[i] as string));
      const gained = has.filter((_, i) => !contents.includes(others[i] as string));
      return {
        gained: beyond(after.areas(gained), gained.length > 0 ? before.areas(had) : []),
        lost: beyond(before.areas(lost), lost.length > 0 ? after.areas(has) : []),
      };
    },
  };
}
