import type { Unread } from '../../policy/analysis/log/known-parts.js';
import type { Binding, Evaluator, Fidelity, GroupBinding, Policy, Role } from '../../policy/index.js';
import type { BindingItemOwner } from './plan-change.js';

/** Policies, roles and bindings, and the users and groups whose bindings are known. */
export interface PermissionsState {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  /** At most one binding per user and role. */
  readonly bindings: readonly Binding[];
  /**
   * The users whose bindings the state holds, or `all`. Nothing is known about other users, because the services cannot
   * list users.
   */
  readonly users: readonly string[] | 'all';
  /** At most one binding per group and role. Default: none. */
  readonly groupBindings?: readonly GroupBinding[] | undefined;
  /**
   * The groups whose bindings the state holds, `all`, or `none` if the deployment does not bind roles to groups. No
   * call of the services lists groups. Default: `all` if `users` is, else none.
   */
  readonly groups?: readonly string[] | 'all' | 'none' | undefined;
  /** The items that the operator makes of custom resources, if the state was read from files of custom resources. */
  readonly operator?: OperatorItems | undefined;
  /** The fidelity of the deployment that the state was read from. */
  readonly fidelity?: Fidelity | undefined;
  /** The service's indexes of policies and roles, if the state was read item by item. */
  readonly indexes?: Indexes | undefined;
  /** The items that the token may not read, if `readState` was asked to leave them out. */
  readonly unread?: Unread | undefined;
}

/** The services' indexes of stored items, by item name. */
export interface Indexes {
  readonly policies: ReadonlyMap<string, number>;
  readonly roles: ReadonlyMap<string, number>;
}

/** Items that belong to the operator, which reverts any changes to them. */
export interface OperatorItems {
  /** Names of policies. */
  readonly policies: readonly string[];
  /** Names of roles. */
  readonly roles: readonly string[];
  /** Of users and of groups. */
  readonly bindings: readonly (BindingItemOwner & { readonly role: string })[];
  /**
   * Names of tokens whose roles and bindings are missing from the state, because only the operator knows their names.
   */
  readonly tokens: readonly string[];
}

/**
 * Patterns of names that a file owns, in the grammar of policies. Owning a user's or group's name means owning the
 * bindings of that user or group, except those to roles whose bindings another file owns.
 */
export interface Manage {
  readonly policies: readonly string[];
  readonly roles: readonly string[];
  readonly users: readonly string[];
  /** Default: none. */
  readonly groups?: readonly string[] | undefined;
  /** Bindings that are owned by their roles, those of all users and groups. Default: none. */
  readonly bindings?: { readonly roles: readonly string[] } | undefined;
}

/** The kinds of items. */
export type PermissionKind = 'policy' | 'role' | 'binding';

/** The state that an evaluator holds. */
export function stateOf(evaluator: Evaluator, fidelity: Fidelity = evaluator.fidelity) {
  const named = <T>(names: readonly string[], get: (name: string) => T | undefined) =>
    // The cast: each name is one of the evaluator's.
    new Map(names.map((name) => [name, get(name) as T]));
  return {
    policies: named(evaluator.policies(), (name) => evaluator.policy(name)),
    roles: named(evaluator.roles(), (name) => evaluator.role(name)),
    bindings: evaluator.bindings(),
    users: 'all',
    groupBindings: evaluator.groupBindings(),
    groups: 'all',
    fidelity,
  } satisfies PermissionsState;
}
