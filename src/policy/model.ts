import type { Path } from '../lib/reading.js';

/** The effect of a matching statement, and of a decision. */
export type Effect = 'Allow' | 'Deny';

/**
 * One rule: it matches where one of its actions and one of its resources match. No action or no resource: it never
 * matches.
 */
export interface Statement {
  /** The effect of a match: `Allow` or `Deny`. */
  readonly effect: Effect;
  /** Patterns of two segments (`orders:read`, `orders:*`, `*:read`), or just `*`. */
  readonly actions: readonly string[];
  /** Patterns of any number of segments (`tenant:7:*`), or just `*`. */
  readonly resources: readonly string[];
  /** For people; it decides nothing. */
  readonly description?: string | undefined;
}

/** A list of statements. Their order does not matter: a Deny that matches wins. */
export interface Policy {
  /** Its rules, in whatever order: an explicit Deny wins. */
  readonly statements: readonly Statement[];
  /** For people; it decides nothing. */
  readonly description?: string | undefined;
}

/** A named set of policies. */
export interface Role {
  /** Names of policies; a name that no policy has is skipped. */
  readonly policies: readonly string[];
  /**
   * Narrows the role where a request names it in `roles` (documented fidelity). It does not count for bindings, which
   * have a scope of their own. Deprecated upstream.
   */
  readonly scope?: Policy | null | undefined;
  /** For people; it decides nothing. */
  readonly description?: string | undefined;
}

/** Gives one user one role inside a scope. */
export interface Binding {
  /** The user who has the role. */
  readonly user: string;
  /** The name of the role; it need not exist. */
  readonly role: string;
  /** Limits the role in this binding. A binding without a scope gives nothing. */
  readonly scope?: Policy | null | undefined;
}

/** Things by name: a record (own names only, so `__proto__` from JSON is a name) or a Map. */
export type Named<T> = Readonly<Record<string, T>> | ReadonlyMap<string, T>;

/** Everything that decisions are made from. */
export interface PolicyState {
  readonly policies?: Named<Policy> | undefined;
  readonly roles?: Named<Role> | undefined;
  /**
   * Two bindings with the same user and role are two alternatives. In sidecar fidelity the last of those with the same
   * name, `user:role`, counts.
   */
  readonly bindings?: Iterable<Binding> | undefined;
}

/**
 * Whose behaviour to show where the service specification and the observed service differ.
 * `documented`: `roles` of a request count; a state that does not validate is refused.
 * `sidecar`: `roles` are ignored; a policy that cannot be parsed is skipped, an unknown effect is a Deny; a binding
 * counts for every user that its name `user:role` begins with, up to a `:`.
 */
export type Fidelity = 'documented' | 'sidecar';

/**
 * The subject: a user (with roles, if wanted), roles alone, or the superuser, who must be asked for by name. `roles` of
 * a question are deprecated upstream.
 * An empty user is denied. A missing user is never the superuser.
 */
export type EvaluatorSubject =
  | { readonly user: string; readonly roles?: readonly string[] | undefined; readonly superuser?: undefined }
  | { readonly user?: undefined; readonly roles: readonly string[]; readonly superuser?: undefined }
  | { readonly superuser: true; readonly user?: undefined; readonly roles?: undefined };

/** An action on a resource. */
export interface EvaluationItem {
  /** Two segments: `orders:read`. */
  readonly action: string;
  /** May be empty, for actions that have no resource. */
  readonly resource: string;
  /**
   * Sent as it is: `{ parameters: { ip: { values: ['…'] } } }`. Today's services do not look at it, and nor does the
   * evaluator.
   */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** A question: may this subject do `action` on `resource`? An empty action is denied to everyone but the superuser. */
export type EvaluationRequest = EvaluatorSubject & EvaluationItem;

/** The same question for many items. */
export type EvaluationsRequest = EvaluatorSubject & { readonly items: readonly EvaluationItem[] };

/** The answer to a question. */
export interface Decision {
  /** `Allow` or `Deny`; a missing or unknown effect on the wire is a Deny. */
  readonly effect: Effect;
  /** `effect === 'Allow'`. */
  readonly allowed: boolean;
  /**
   * The service's own words; the evaluator uses the same: `Access Granted`, `Permission denied`, `Superuser Allowed`.
   */
  readonly message: string;
}

/**
 * One decision for each of several items, and their sum: `allowed` only if every item is; without items it is a Deny.
 */
export interface ManyDecisions extends Decision {
  /** In the order of the request. */
  readonly items: readonly Decision[];
}

/** A fault in a policy, role, binding or state. */
export interface Issue {
  readonly path: Path;
  readonly message: string;
  /** The segment of a pattern that cannot be parsed (`*x*`), where that is the fault. */
  readonly segment?: string;
}
