import type { EvaluatorSubject, Explanation, Outcome } from '../../policy/index.js';

/** A request of the log, as a list shows it. Credentials, passwords and tokens read `<redacted>`. */
export interface RequestRow {
  /** Grows with each request; the newest has the highest. */
  readonly id: number;
  /** The time of the answer by the mock's clock, in ISO 8601. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  /** The query without its `?`; empty if there is none. */
  readonly query: string;
  /** The user who sent the request or, for a login, the one who logged in; `null` if unknown. */
  readonly user: string | null;
  /** The status of the answer; 0 if a fault dropped the connection. */
  readonly status: number;
  /** The decision for all of its items together; `null` if none was made. */
  readonly decision: 'Allow' | 'Deny' | null;
  /** The first decisions made for the request, at most 20, in order. */
  readonly items: readonly DecisionRow[];
  /** The number of all decisions made for the request. */
  readonly itemCount: number;
  /** True if the console itself sent the request, for an edit or its undoing. */
  readonly console: boolean;
}

/** A decision made for a request. */
export interface DecisionRow {
  readonly action: string;
  readonly resource: string;
  readonly effect: 'Allow' | 'Deny';
}

/** The rows to return: those after an id, or those before one. */
export interface RequestPageOptions {
  /** Default: 0, for the oldest rows. */
  readonly after?: number | undefined;
  /** An id, which need not exist. With it, `after` is ignored. */
  readonly before?: number | undefined;
  /** Default: 2000. */
  readonly most?: number | undefined;
}

/** Rows that follow each other in the log. */
export interface RequestPage {
  /** Oldest first. */
  readonly rows: readonly RequestRow[];
  /** The number of requests in the log before the first row. */
  readonly older: number;
  /** The oldest request that the log still has; rows below it are gone. `null` for an empty log. */
  readonly oldest: number | null;
  /** True if newer rows remain; ask again with `after` set to the last id. Always false with `before`. */
  readonly more: boolean;
}

export interface ShownBody {
  /** `note` stands for a body that is not kept: long or binary. */
  readonly kind: 'none' | 'json' | 'text' | 'note';
  /** JSON is indented by two spaces. */
  readonly text: string;
}

export interface RequestDetail extends RequestRow {
  /** Names in lower case, in the order received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: ShownBody;
  /** The error that a handler threw, as text; `null` if none was. */
  readonly thrown: string | null;
  /** The decisions with their explanations, at most 200 of them. */
  readonly decisions: readonly ExplainedDecision[];
}

export interface ExplainedDecision extends DecisionRow {
  /** `null` if the subject is not known, as for a request whose user was not logged. */
  readonly tree: ExplanationTree | null;
  /**
   * `same`: the policies at that time and the current ones give this decision. `changed`: only those at that time give
   * it. `other`: something other than policies decided, like the authorization type or a scripted fault.
   */
  readonly agrees: 'same' | 'changed' | 'other';
}

/** A decision with its reasons, from the bindings down to the patterns of statements. */
export interface ExplanationTree {
  readonly subject: EvaluatorSubject;
  readonly action: string;
  readonly resource: string;
  readonly effect: 'Allow' | 'Deny';
  readonly reason: Explanation['reason'];
  /** The reason in words, like `nothing allows it, and an explicit Deny matched`. */
  readonly because: string;
  /** True if a Deny matched. */
  readonly explicit: boolean;
  /** The bindings of the user, then the roles of the request. */
  readonly bindings: readonly BindingNode[];
  /** Of a denial, the statement that would have allowed but for one part; `null` if there is none. */
  readonly nearest: NearestMiss | null;
  /** The whole explanation as lines of text, to copy. */
  readonly text: string;
}

/** A statement that would have allowed but for one part. */
export interface NearestMiss {
  readonly role: string;
  readonly policy: string;
  readonly index: number;
  /** The part, in words, like `its resources are order:7`. */
  readonly but: string;
}

/** A binding of the user or of a group, or a role that the request names. */
export interface BindingNode {
  readonly via: 'binding' | 'group' | 'request';
  /** The group of the binding. */
  readonly group?: string | undefined;
  readonly role: string;
  /** False if there is no role of this name. */
  readonly roleExists: boolean;
  readonly outcome: Outcome;
  /** The outcome in words. */
  readonly because: string;
  /** True for the binding or role that allowed. */
  readonly granted: boolean;
  /** `null` if it has none: a binding then grants nothing, and a role of a request applies everywhere. */
  readonly scope: ScopeNode | null;
  readonly policies: readonly PolicyNode[];
}

/** The scope of a binding. */
export interface ScopeNode {
  readonly statements: readonly StatementNode[];
}

/** A policy of a role. */
export interface PolicyNode {
  readonly name: string;
  /** A policy that is missing or cannot be parsed is skipped. */
  readonly state: 'evaluated' | 'missing' | 'unparsable';
  readonly statements: readonly StatementNode[];
}

/** A statement, and how it compares with the question. */
export interface StatementNode {
  readonly index: number;
  readonly effect: 'Allow' | 'Deny';
  readonly description: string | null;
  readonly actions: readonly PatternNode[];
  readonly resources: readonly PatternNode[];
  /** True if one of the actions and one of the resources match. */
  readonly matched: boolean;
  /** True for the statement behind the outcome of its binding. */
  readonly decisive: boolean;
  /** The reason why the statement matched or did not, in words, like `no action matches "orders:write"`. */
  readonly because: string;
}

/** A pattern, and whether it matches. */
export interface PatternNode {
  readonly pattern: string;
  readonly matches: boolean;
}
