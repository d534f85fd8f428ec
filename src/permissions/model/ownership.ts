import { Pattern } from '../../policy/model/pattern.js';
import type { Manage } from './permissions-state.js';
import type { ItemName } from './plan-change.js';

/** The sections of `manage`. The patterns of `bindings` match names of roles. */
export type ManagedKind = keyof Manage;

/** A section of `manage`, and the name that its patterns have to match. */
export type ManagedName = readonly [kind: ManagedKind, name: string];

/**
 * The sections of `manage` that may own an item, by precedence: a binding belongs to the file that owns the bindings of
 * its role, and else to the file that owns its user or group.
 */
export function managedNames(item: ItemName): readonly ManagedName[] {
  if (item.kind !== 'binding') return [[item.kind === 'policy' ? 'policies' : 'roles', item.name]];
  return [['bindings', item.role], item.group === undefined ? ['users', item.user] : ['groups', item.group]];
}

/** The patterns of a section of `manage`. */
export const patternsOf = (manage: Partial<Manage>, kind: ManagedKind): readonly string[] =>
  (kind === 'bindings' ? manage.bindings?.roles : manage[kind]) ?? [];

/** The names that `manage` owns. */
export class Ownership {
  readonly #patterns: Readonly<Record<ManagedKind, readonly Pattern[]>>;

  constructor(manage: Manage) {
    const parse = (kind: ManagedKind) => patternsOf(manage, kind).map((pattern) => new Pattern(pattern));
    this.#patterns = {
      policies: parse('policies'),
      roles: parse('roles'),
      users: parse('users'),
      groups: parse('groups'),
      bindings: parse('bindings'),
    };
  }

  owns(item: ItemName): boolean {
    return managedNames(item).some(([kind, name]) => this.#patterns[kind].some((pattern) => pattern.matches(name)));
  }

  /** True for an item that is not owned, although `manage` has patterns of its kind. */
  isOutside(item: ItemName): boolean {
    return managedNames(item).some(([kind]) => this.#patterns[kind].length > 0) && !this.owns(item);
  }
}
