import type {
  Binding,
  Decision,
  EvaluationRequest,
  EvaluationsRequest,
  Fidelity,
  Issue,
  ManyDecisions,
  Policy,
  Role,
} from './model.js';

/**
 * A policy or scope that a user's bindings reach and that is skipped, because it cannot be parsed (sidecar fidelity).
 */
export interface PolicyFault extends Issue {
  /** The role of the binding. */
  readonly role: string;
  /** The role's policy that is skipped; undefined: the binding's scope is. */
  readonly policy?: string;
}

/**
 * Decides who may do what, from a state of policies, roles and bindings that it holds itself.
 *
 * - Within the policies of one binding an explicit Deny wins over any Allow, whatever the order; nothing that matches
 * is a Deny.
 * - A binding allows where its scope allows and its role's policies allow. A binding without a scope, or to a role that
 * does not exist, gives nothing. A role skips policies that do not exist.
 * - Bindings are alternatives: any that allows, allows. A Deny in one binding does not reach into another.
 *
 * Compiled questions are cached, in at most 64 MiB. A change costs its own size, whatever the size of the state, and
 * invalidates only what it touches: the roles that name a policy, and the users bound to a role.
 */
export interface Evaluator {
  readonly fidelity: Fidelity;
  /**
   * Decides. Synchronous, allocates nothing for a question asked before; the decisions are shared and frozen. Only own
   * fields of the request count. It never throws: an invalid request is denied.
   */
  evaluate(request: EvaluationRequest): Decision;
  /** Decides, and gives `evaluate(request).allowed`. */
  isAllowed(request: EvaluationRequest): boolean;
  /**
   * Decides many items for one subject: Allow only if every item is, and a Deny without items. As `evaluate`, it never
   * throws.
   */
  evaluateMany(request: EvaluationsRequest): ManyDecisions;
  /**
   * Adds or replaces a policy.
   * @throws PolicyError (code `POLICY`) in documented fidelity; then nothing has changed.
   */
  setPolicy(name: string, policy: Policy): void;
  /** Removes a policy; roles that name it skip it. False: there was none. */
  deletePolicy(name: string): boolean;
  /**
   * Adds or replaces a role.
   * @throws PolicyError (code `POLICY`) in documented fidelity; then nothing has changed.
   */
  setRole(name: string, role: Role): void;
  /** Removes a role; bindings that name it stay and give nothing. False: there was none. */
  deleteRole(name: string): boolean;
  /**
   * Gives the user the role in this scope, in place of any binding of this user to this role. In sidecar fidelity it
   * replaces whatever has its name, `user:role`.
   * @throws PolicyError (code `POLICY`) in documented fidelity; then nothing has changed.
   */
  setBinding(binding: Binding): void;
  /** Removes what binds the user to the role; in sidecar fidelity what has this name. False: nothing did. */
  deleteBinding(user: string, role: string): boolean;
  /** The policy as it was set, frozen; in sidecar fidelity without statements where it is skipped. */
  policy(name: string): Policy | undefined;
  /** The role as it was set, frozen. */
  role(name: string): Role | undefined;
  /** The names of all policies, sorted by code unit. */
  policies(): readonly string[];
  /** The names of all roles, sorted by code unit. */
  roles(): readonly string[];
  /**
   * All users that have a binding, sorted by code unit. In sidecar fidelity these are the users for which a binding
   * counts: one named `a:b:viewer` counts for `a:b` and for `a`, so both are listed, and bindings of either are found.
   */
  users(): readonly string[];
  /**
   * The bindings of exactly this user, the oldest first. In sidecar fidelity all that count for the user, each with the
   * user that it was set for: what `a:b` was given counts for `a`, too. Where the bindings of several users count, they
   * are sorted by role.
   *
   * Without a user: all bindings, each once, by user in the order of `users()`, and of one user the oldest first. In
   * sidecar fidelity one stands where the longest user that its name begins with does: `a:b:viewer` at `a:b`, even if
   * it was set as the role `b:viewer` of `a`.
   */
  bindings(user?: string): readonly Binding[];
  /**
   * Lists policies and scopes that are skipped for this user because they cannot be parsed; always empty in documented
   * fidelity. `evaluate` ignores it. (The observed management API answers 500 `invalid policy statement: <segment>` to
   * such a user.)
   */
  faults(user: string): readonly PolicyFault[];
  /**
   * An independent evaluator with the same state, for snapshots. It costs nothing: both share everything, and who
   * changes something later copies the small part of the state in which it stands.
   */
  clone(): Evaluator;
}
