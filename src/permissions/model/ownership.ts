import { Pattern } from '../../policy/model/pattern.js';
import type { Manage } from './permissions-state.js';
import { type ItemName, sections } from './plan-change.js';

/** The sections of `manage`. The patterns of `bindings` match names of roles. */
export type ManagedKind = keyof Manage;

export const managedKinds = ['policies', 'roles', 'users', 'groups', 'bindings'] as const satisfies ManagedKind[];

/** The sections of `manage` that are there. */
type ManagePatterns = { readonly [Kind in ManagedKind]?: Manage[Kind] | undefined };

/** A section of `manage`, and the name that its patterns have to match. */
export type ManagedName = readonly [kind: ManagedKind, name: string];

/**
 * The sections of `manage` that may own an item, by precedence: a binding belongs to the file that owns the bindings of
 * its role, and else to the file that owns its user or group.
 */
export function managedNames(item: ItemName): readonly ManagedName[] {
  if (item.kind !== 'binding') return [[sections[item.kind], item.name]];
  return [['bindings', item.role], item.group === undefined ? ['users', item.user] : ['groups', item.group]];
}

/** The patterns of a section of `manage`. */
export const patternsOf = (manage: ManagePatterns, kind: ManagedKind): readonly string[] =>
  (kind === 'bindings' ? manage.bindings?.roles : manage[kind]) ?? [];

/** The value of `manage` with these patterns. */
export function toManage(of: (kind: ManagedKind) => readonly string[]): Manage {
  const [groups, roles] = [of('groups'), of('bindings')];
  return {
    policies: of('policies'),
    roles: of('roles'),
    users: of('users'),
    ...(groups.length > 0 && { groups }),
    ...(roles.length > 0 && { bindings: { roles } }),
  };
}

/** The names that `manage` owns. */
export class Ownership {
  readonly #patterns: ReadonlyMap<ManagedKind, readonly Pattern[]>;

  constructor(manage: ManagePatterns = {}) {
    this.#patterns = new Map(
      managedKinds.map((kind) => [kind, patternsOf(manage, kind).map((pattern) => new Pattern(pattern))]),
    );
  }

  ownsName([kind, name]: ManagedName): boolean {
    return this.#patterns.get(kind)?.some((pattern) => pattern.matches(name)) === true;
  }

  owns(item: ItemName): boolean {
    return managedNames(item).some((name) => this.ownsName(name));
  }

  /** True for an item that is not owned, although `manage` has patterns of its kind. */
  isOutside(item: ItemName): boolean {
    return this.#missing(item).length > 0;
  }

  /** The name that `manage` has to get so that it owns an item; undefined if it need not or cannot. */
  missingName(item: ItemName): ManagedName | undefined {
    return this.#missing(item).findLast(([, name]) => !name.includes('*'));
  }

  /** The names of an item that is not owned, in the sections that have patterns. */
  #missing(item: ItemName): readonly ManagedName[] {
    return this.owns(item) ? [] : managedNames(item).filter(([kind]) => this.#patterns.get(kind)?.length);
  }
}
