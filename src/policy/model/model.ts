import type { IssuePath } from '../../base/lib/text/paths.js';

/** The effect of a matching statement, and of a decision. */
export type Effect = 'Allow' | 'Deny';

/**
 * One rule: it matches if one of its actions and one of its resources match. Without actions or resources it never
 * matches.
 */
export interface Statement {
  /** The effect of a match: `Allow` or `Deny`. */
  readonly effect: Effect;
  /** Patterns of two segments (`orders:read`, `orders:*`, `*:read`), or just `*`. */
  readonly actions: readonly string[];
  /** Patterns of any number of segments (`tenant:7:*`), or just `*`. */
  readonly resources: readonly string[];
  /** A comment; it has no effect on decisions. */
  readonly description?: string | undefined;
}

/** A list of statements in any order: a Deny that matches wins. */
export interface Policy {
  readonly statements: readonly Statement[];
  /** A comment; it has no effect on decisions. */
  readonly description?: string | undefined;
}

/** A named set of policies. */
export interface Role {
  /** Names of policies; missing policies are skipped. */
  readonly policies: readonly string[];
  /**
   * Narrows the role if a request names it in `roles` (documented fidelity). It does not affect bindings, which have
   * their own scopes. Deprecated upstream.
   */
  readonly scope?: Policy | null | undefined;
  /** A comment; it has no effect on decisions. */
  readonly description?: string | undefined;
}

/** Gives one user one role inside a scope. */
export interface Binding {
  /** The user with the role. */
  readonly user: string;
  /** The name of the role; it need not exist. */
  readonly role: string;
  /** Limits the role in this binding. A binding without a scope grants nothing. */
  readonly scope?: Policy | null | undefined;
}

/** Gives every subject with this group one role inside a scope. Platform version `next`. */
export interface GroupBinding {
  /** The group with the role, as tokens and questions name it. */
  readonly group: string;
  /** The name of the role; it need not exist. */
  readonly role: string;
  /** Limits the role in this binding. A binding without a scope grants nothing. */
  readonly scope?: Policy | null | undefined;
}

/** Values by name: a record (own names only, so `__proto__` from JSON is a name) or a Map. */
export type Named<T> = Readonly<Record<string, T>> | ReadonlyMap<string, T>;

/** Everything that decisions depend on. */
export interface PolicyState {
  readonly policies?: Named<Policy> | undefined;
  readonly roles?: Named<Role> | undefined;
  /**
   * Two bindings with the same user and role are alternatives. In sidecar fidelity the last one with the same name,
   * `user:role`, wins.
   */
  readonly bindings?: Iterable<Binding> | undefined;
  /** Roles of groups, which count in union with the user's own bindings. Default: none, as on older platforms. */
  readonly groupBindings?: Iterable<GroupBinding> | undefined;
  /** The behaviour to reproduce, unless an option says another one. Default `documented`. */
  readonly fidelity?: Fidelity | undefined;
}

/**
 * The behaviour to reproduce if the service specification and the observed service differ. `documented`: `roles` of a
 * request count as roles and as groups; an invalid state is rejected. `sidecar`: `roles` count as groups only; a policy
 * that cannot be parsed is skipped, an unknown effect is a Deny; a binding applies to every user or group that is a
 * prefix of its name `user:role` or `group:role`, up to a `:`.
 */
export type Fidelity = 'documented' | 'sidecar';

/**
 * The subject: a user with optional roles, roles alone, or the superuser, which must be requested explicitly. An empty
 * user is denied. A missing user is never the superuser. `roles` in a question are deprecated upstream.
 */
export type EvaluatorSubject =
  | { readonly user: string; readonly roles?: readonly string[] | undefined; readonly superuser?: undefined }
  | { readonly user?: undefined; readonly roles: readonly string[]; readonly superuser?: undefined }
  | { readonly superuser: true; readonly user?: undefined; readonly roles?: undefined };

/** An action on a resource. */
export interface EvaluationItem {
  /** Two segments: `orders:read`. */
  readonly action: string;
  /** May be empty, for actions without a resource. */
  readonly resource: string;
  /** Sent unchanged: `{ parameters: { ip: { values: ['…'] } } }`. Neither today's services nor the evaluator use it. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** A question: may this subject do `action` on `resource`? An empty action is denied to all but the superuser. */
export type EvaluatorQuestion = EvaluatorSubject & EvaluationItem;

/** One question about many items. */
export type EvaluatorBatch = EvaluatorSubject & { readonly items: readonly EvaluationItem[] };

/** The answer to a question. */
export interface Decision {
  /** `Allow` or `Deny`; a missing or unknown effect on the wire is a Deny. */
  readonly effect: Effect;
  /** `effect === 'Allow'`. */
  readonly allowed: boolean;
  /**
   * The service's message; the evaluator uses the same ones: `Access Granted`, `Permission denied`, `Superuser
   * Allowed`.
   */
  readonly message: string;
}

/** Decisions on several items, and their sum: `allowed` only if every item is allowed; a Deny without items. */
export interface ManyDecisions extends Decision {
  /** One decision per item, in the order of the request. */
  readonly items: readonly Decision[];
}

/** An issue in a policy, role, binding or state. */
export interface Issue {
  readonly path: IssuePath;
  readonly message: string;
  /** The invalid segment (like `*x*`), if the issue is a pattern that cannot be parsed. */
  readonly segment?: string;
}
