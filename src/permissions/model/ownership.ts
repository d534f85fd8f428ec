import { Pattern } from '../../policy/model/pattern.js';
import type { Manage } from './permissions-state.js';
import type { BindingItemOwner, ItemName } from './plan-change.js';

/** The sections of `manage`. */
export type ManagedKind = keyof Manage;

/** The section of `manage` for a binding, and the name of its owner. */
export const managedName = ({ user, group }: BindingItemOwner): readonly [kind: ManagedKind, name: string] =>
  group === undefined ? ['users', user] : ['groups', group];

/** The names that `manage` owns. */
export class Ownership {
  readonly #patterns: Readonly<Record<ManagedKind, readonly Pattern[]>>;

  constructor({ policies, roles, users, groups = [] }: Manage) {
    const parse = (patterns: readonly string[]) => patterns.map((pattern) => new Pattern(pattern));
    this.#patterns = { policies: parse(policies), roles: parse(roles), users: parse(users), groups: parse(groups) };
  }

  owns(kind: ManagedKind, name: string): boolean {
    return this.#patterns[kind].some((one) => one.matches(name));
  }

  /** True for an item that is not owned, although `manage` has patterns of its kind. */
  isOutside(item: ItemName): boolean {
    const [kind, name] =
      item.kind === 'binding'
        ? managedName(item)
        : ([item.kind === 'policy' ? 'policies' : 'roles', item.name] as const);
    return this.#patterns[kind].length > 0 && !this.owns(kind, name);
  }
}
