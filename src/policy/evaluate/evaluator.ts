import type {
  Binding,
  Decision,
  EvaluatorBatch,
  EvaluatorQuestion,
  Fidelity,
  GroupBinding,
  Issue,
  ManyDecisions,
  Policy,
  Role,
} from '../model/model.js';

/** A policy or scope of a user's bindings that is skipped because it cannot be parsed (sidecar fidelity). */
export interface PolicyFault extends Issue {
  readonly role: string;
  /** The skipped policy of the role; undefined if the binding's scope is skipped. */
  readonly policy?: string;
}

/**
 * Decides on permissions, from its own copy of policies, roles and bindings.
 *
 * - Within the policies of one binding an explicit Deny overrides any Allow, in any order; if no statement matches, the
 *   decision is a Deny.
 * - A binding allows if both its scope and its role's policies allow. A binding without a scope, or to a missing role,
 *   grants nothing. A role skips missing policies.
 * - Bindings are alternatives: one that allows is enough. A Deny in one binding does not affect another.
 * - `roles` of a request name groups, whose bindings count, too. In sidecar fidelity a user's binding to a role named
 *   `group:role` hides the group's binding with that name.
 *
 * Compiled questions are cached, in at most 64 MiB. The cost of a change depends on the changed item, not on the size
 * of the state. It invalidates only the cached roles that name a changed policy, and the cached users of a changed
 * role.
 */
export interface Evaluator {
  readonly fidelity: Fidelity;
  /**
   * Decides synchronously, and for a repeated question that needs no groups without allocation; decisions are shared
   * and frozen. Only own fields of the request count. It never throws: an invalid request is denied.
   */
  evaluate(request: EvaluatorQuestion): Decision;
  /** Returns `evaluate(request).allowed`. */
  isAllowed(request: EvaluatorQuestion): boolean;
  /**
   * Decides many items for one subject: Allow only if every item is allowed, and a Deny without items. Like `evaluate`,
   * it never throws.
   */
  evaluateMany(request: EvaluatorBatch): ManyDecisions;
  /**
   * Adds or replaces a policy.
   * @throws PolicyError (code `POLICY`) in documented fidelity; then nothing has changed.
   */
  setPolicy(name: string, policy: Policy): void;
  /** Removes a policy; roles that name it skip it. Returns false if there was none. */
  deletePolicy(name: string): boolean;
  /**
   * Adds or replaces a role.
   * @throws PolicyError (code `POLICY`) in documented fidelity; then nothing has changed.
   */
  setRole(name: string, role: Role): void;
  /** Removes a role; bindings that name it remain and grant nothing. Returns false if there was none. */
  deleteRole(name: string): boolean;
  /**
   * Binds the user to the role in this scope, replacing the user's binding to this role. In sidecar fidelity it
   * replaces the binding with the same name, `user:role`.
   * @throws PolicyError (code `POLICY`) in documented fidelity; then nothing has changed.
   */
  setBinding(binding: Binding): void;
  /**
   * Removes the user's bindings to the role; in sidecar fidelity the binding with this name. Returns false if there was
   * none.
   */
  deleteBinding(user: string, role: string): boolean;
  /**
   * Binds the group to the role in this scope, replacing the group's binding to this role. In sidecar fidelity it
   * replaces the binding with the same name, `group:role`.
   * @throws PolicyError (code `POLICY`) in documented fidelity; then nothing has changed.
   */
  setGroupBinding(binding: GroupBinding): void;
  /** Removes the group's bindings to the role, as `deleteBinding` does. */
  deleteGroupBinding(group: string, role: string): boolean;
  /** Returns a frozen copy of the policy. In sidecar fidelity a skipped policy has no statements. */
  policy(name: string): Policy | undefined;
  /** Returns a frozen copy of the role. */
  role(name: string): Role | undefined;
  /** The names of all policies, sorted by code unit. */
  policies(): readonly string[];
  /** The names of all roles, sorted by code unit. */
  roles(): readonly string[];
  /**
   * Lists all users that have a binding, sorted by code unit. In sidecar fidelity these are all users to which a
   * binding applies: one named `a:b:viewer` applies to `a:b` and to `a`, so both are listed.
   */
  users(): readonly string[];
  /**
   * Lists the bindings of exactly this user, the oldest first; in sidecar fidelity all bindings that apply to the user,
   * each with the user that it was set for: a binding of `a:b` applies to `a`, too. If bindings of several users apply,
   * they are sorted by role.
   *
   * Without a user, lists all bindings once, by user in the order of `users()`, the oldest first. In sidecar fidelity a
   * binding is listed at the longest user that is a prefix of its name: `a:b:viewer` at `a:b`, even if it was set as
   * the role `b:viewer` of `a`.
   */
  bindings(user?: string): readonly Binding[];
  /** Lists all groups to which a binding applies, as `users` does. */
  groups(): readonly string[];
  /** Lists the bindings that apply to a group or, without one, all of them, as `bindings` does. */
  groupBindings(group?: string): readonly GroupBinding[];
  /**
   * Lists policies and scopes that are skipped for this user because they cannot be parsed; always empty in documented
   * fidelity. `evaluate` skips them. (The observed management API answers 500 `invalid policy statement: <segment>` to
   * such a user.) With `groups`, also those of the groups' bindings.
   */
  faults(user: string | undefined, groups?: readonly string[]): readonly PolicyFault[];
  /**
   * Returns an independent evaluator with the same state, for snapshots. It is fast for any size: both share the
   * state, and a later change copies only the small part that it affects.
   */
  clone(): Evaluator;
}
