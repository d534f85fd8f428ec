import type { GrantedRegion } from '../../policy/analysis/analysis-types.js';
import type { EvaluatorSubject, Fidelity, LintRule, Policy, Role } from '../../policy/index.js';
import type { ExplanationTree } from './request-types.js';
import type { TokenReport } from './token-types.js';

/** Policies, roles and bindings. */
export interface PermissionsOfState {
  readonly policies: readonly NamedPolicy[];
  readonly roles: readonly NamedRole[];
  readonly bindings: readonly BoundRole[];
  readonly groupBindings: readonly BoundGroup[];
}

/** The state that decisions depend on, and what the console suggests while typing. */
export interface ConsoleState extends PermissionsOfState {
  /** Changes with each change of policies, roles and bindings. */
  readonly revision: number;
  readonly fidelity: Fidelity;
  /** All known users, sorted: those in bindings, in logged requests, and those that can log in. */
  readonly users: readonly string[];
  /** The known groups, sorted: those in bindings and in logged requests. */
  readonly groups: readonly string[];
  /** Actions without wildcards that requests and policies name. Sorted. */
  readonly actions: readonly string[];
  /** The platform's other actions, sorted. */
  readonly platformActions: readonly string[];
  /** Resources without wildcards: of requests and of policies. Sorted. */
  readonly resources: readonly string[];
  readonly findings: readonly ConsoleFinding[];
}

export interface NamedPolicy {
  readonly name: string;
  readonly policy: Policy;
}

export interface NamedRole {
  readonly name: string;
  readonly role: Role;
}

/** A binding. */
export interface BoundRole {
  readonly user: string;
  readonly role: string;
  /** `null` if it has none; then it grants nothing. */
  readonly scope: Policy | null;
}

/** A binding of a group. */
export interface BoundGroup extends Omit<BoundRole, 'user'> {
  readonly group: string;
}

/** A probable mistake that `lint` found. */
export interface ConsoleFinding {
  readonly rule: LintRule;
  /** The problem, in a sentence. */
  readonly message: string;
  /** The item with the mistake. */
  readonly about:
    | { readonly kind: 'policy' | 'role'; readonly name: string }
    | { readonly kind: 'binding'; readonly user: string; readonly role: string }
    | { readonly kind: 'groupBinding'; readonly group: string; readonly role: string }
    | { readonly kind: 'state' };
  /** The place inside the item, like `statements[0].actions[1]`; empty for the item itself. */
  readonly place: string;
}

/** A question for `explain`. A token stands for the user and the groups that it names. */
export interface ConsoleQuestion {
  readonly subject: EvaluatorSubject | { readonly token: string };
  readonly action: string;
  readonly resource: string;
}

/** The answer to a question. */
export interface ConsoleAnswer {
  /** The token, if the question had one. */
  readonly token: TokenReport | null;
  /** `null` for a token that is not valid. */
  readonly tree: ExplanationTree | null;
  /**
   * A sentence if the platform answers otherwise than its policies say, because of its authorization type; else `null`.
   */
  readonly note: string | null;
}

/**
 * The rows and columns of a matrix: at most 200 users or groups, and 100 actions. A resource with a `*` is a pattern;
 * an empty one stands for all resources.
 */
export interface MatrixQuestion {
  readonly of: 'users' | 'groups';
  readonly names: readonly string[];
  readonly actions: readonly string[];
  readonly resource: string;
}

/**
 * `allow`; `explicit-deny` if a Deny matched; `deny` if the row has bindings but none allows it; `nothing` for one
 * without bindings. For a pattern: `all`, `some` or `none` of its resources are allowed.
 */
export type MatrixCell = 'allow' | 'explicit-deny' | 'deny' | 'nothing' | 'all' | 'some' | 'none';

/** Decisions of users or groups × actions on one resource. */
export interface Matrix extends MatrixQuestion {
  readonly revision: number;
  /** `cells[n][a]` is the decision on `actions[a]` for `names[n]`. */
  readonly cells: readonly (readonly MatrixCell[])[];
  /** For a pattern, the granted regions of each cell as lines of text; `null` for a single resource. */
  readonly granted: readonly (readonly string[])[] | null;
}

/** An action and a resource, each of which may be a pattern. An empty resource stands for all. */
export interface WhoQuestion {
  readonly action: string;
  readonly resource: string;
}

/** The users, groups and roles that may do something. */
export interface Holders {
  /** Users, by their bindings. Sorted. */
  readonly users: readonly string[];
  /** Groups, by their bindings. */
  readonly groups: readonly string[];
  /** Roles that allow the action for requests that name them. */
  readonly roles: readonly string[];
  /** Holders of a part of the access that a pattern asks for. */
  readonly partly: Omit<Holders, 'partly'>;
}

/** A region that a user or a group is granted. */
export interface GrantRow extends GrantedRegion {
  /** The region as text, like `orders:* on order:7`. */
  readonly text: string;
}

/** Access that users gain or lose by the same statements. */
export interface AccessRow {
  readonly users: readonly string[];
  /** Roles that grant it to requests that name the role. */
  readonly roles: readonly string[];
  /** The users, the patterns and the statements that grant them, as lines of text. */
  readonly text: string;
}

/** A change of one item, as the management API makes it. */
export type Edit =
  | { readonly kind: 'create-policy' | 'update-policy'; readonly name: string; readonly policy: Policy }
  | { readonly kind: 'create-role' | 'update-role'; readonly name: string; readonly role: Role }
  | { readonly kind: 'delete-policy' | 'delete-role'; readonly name: string }
  | {
      readonly kind: 'assign-role' | 'replace-scope';
      readonly user: string;
      readonly role: string;
      readonly scope: Policy;
    }
  | { readonly kind: 'remove-role'; readonly user: string; readonly role: string };

/** A call of the management API. */
export interface ManagementCall {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
}

/** The effects of an edit that is not made yet. */
export interface EditPreview {
  /** The state's revision for which it was computed; pass it to `edit`. */
  readonly revision: number;
  readonly edit: Edit;
  readonly call: ManagementCall;
  readonly gained: readonly AccessRow[];
  readonly lost: readonly AccessRow[];
  /** The subjects whose access was too much to compare, in words: `3 users`. Empty if all were compared. */
  readonly notCompared: string;
  /** Findings of `lint` that the edit would add. */
  readonly findings: readonly ConsoleFinding[];
}

/** An edit that the console has made. */
export interface EditRecord {
  readonly id: number;
  /** The time of the edit by the mock's clock, in ISO 8601. */
  readonly time: string;
  readonly edit: Edit;
  readonly call: ManagementCall;
  /** The request in the log. `null` if the log keeps none. */
  readonly request: number | null;
  /** The call that undoes the edit. `null` if it cannot be undone. */
  readonly opposite: ManagementCall | null;
  readonly undone: boolean;
}

/** A permissions file that was read. */
interface ReadFile {
  /** The name of the file on the command line, or `null` for a text that the page sent. */
  readonly file: string | null;
  /** The reasons why the file cannot be read or is not valid; none if it is. */
  readonly problems: readonly { readonly place: string; readonly message: string }[];
}

/** The permissions that the state would have if a file were applied. */
export interface FileState extends ReadFile {
  /** `null` if the file has problems. */
  readonly state: PermissionsOfState | null;
}

export interface FileComparison extends ReadFile {
  /** Access that applying the file would give. */
  readonly gained: readonly AccessRow[];
  /** Access that applying the file would take away. */
  readonly lost: readonly AccessRow[];
  /** The subjects whose access was too much to compare, in words. Empty if all were compared. */
  readonly notCompared: string;
  /** The plan as the command prints it, without the access gained and lost; empty if there is nothing to do. */
  readonly plan: string;
}
