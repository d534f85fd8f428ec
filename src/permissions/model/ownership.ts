import { Pattern } from '../../policy/model/pattern.js';
import type { Manage } from './permissions-state.js';
import type { ItemName } from './plan-change.js';

/** The names that `manage` owns. */
export class Ownership {
  readonly #patterns: Readonly<Record<keyof Manage, readonly Pattern[]>>;

  constructor({ policies, roles, users }: Manage) {
    const parse = (patterns: readonly string[]) => patterns.map((pattern) => new Pattern(pattern));
    this.#patterns = { policies: parse(policies), roles: parse(roles), users: parse(users) };
  }

  owns(kind: keyof Manage, name: string): boolean {
    return this.#patterns[kind].some((one) => one.matches(name));
  }

  /** True for an item that is not owned, although `manage` has patterns of its kind. */
  isOutside(item: ItemName): boolean {
    const [kind, name] =
      item.kind === 'binding'
        ? (['users', item.user] as const)
        : ([item.kind === 'policy' ? 'policies' : 'roles', item.name] as const);
    return this.#patterns[kind].length > 0 && !this.owns(kind, name);
  }
}
