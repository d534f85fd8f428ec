import type { Binding, Fidelity, Policy, Role } from '../../policy/index.js';

/** Policies, roles and bindings, and which bindings are known. */
export interface PermissionsState {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  /** At most one for a user and a role. */
  readonly bindings: readonly Binding[];
  /**
   * The users whose bindings the state holds, or `all`. Nothing is known about other users, because the services cannot
   * list users.
   */
  readonly users: readonly string[] | 'all';
  /** The items that custom resources of the operator make, if the state was read from such files. */
  readonly operator?: OperatorItems | undefined;
  /** The rules by which the deployment decides that the state was read from. */
  readonly fidelity?: Fidelity | undefined;
  /** The indexes of policies and roles, if the state was read item by item. */
  readonly indexes?: Indexes | undefined;
}

/** The services' indexes of stored items, by name. */
export interface Indexes {
  readonly policies: ReadonlyMap<string, number>;
  readonly roles: ReadonlyMap<string, number>;
}

/** Items that belong to the operator, which writes them back. */
export interface OperatorItems {
  /** Names of policies. */
  readonly policies: readonly string[];
  /** Names of roles. */
  readonly roles: readonly string[];
  readonly bindings: readonly { readonly user: string; readonly role: string }[];
  /** Names of tokens whose items are not in the state, because only the operator names them. */
  readonly tokens: readonly string[];
}

/** Patterns of names that a file owns, in the grammar of policies. A binding is owned by its user. */
export interface Manage {
  readonly policies: readonly string[];
  readonly roles: readonly string[];
  readonly users: readonly string[];
}

/** The kinds of items. */
export type PermissionKind = 'policy' | 'role' | 'binding';
