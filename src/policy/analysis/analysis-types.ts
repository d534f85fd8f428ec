import type { Evaluator, EvaluatorSubject, Fidelity, PolicyState } from '../index.js';

/** A state, an evaluator, or a source of evaluators such as a replica. */
export type AnalysisState = PolicyState | Evaluator | EvaluatorSource;

/** A replica, or another source of a whole state. */
export interface EvaluatorSource {
  /** Returns the evaluator of the current state. */
  evaluator(): Evaluator;
}

/** Options of every analysis. */
export interface AnalysisOptions {
  /** The fidelity of a `PolicyState`, default `documented`; an evaluator and a replica have their own. */
  readonly fidelity?: Fidelity | undefined;
  /**
   * The maximum number of pattern comparisons, above which an `AnalysisError` is thrown; default 100 000 000, some
   * seconds.
   */
  readonly maxWork?: number | undefined;
}

/**
 * A pattern in the grammar of policies, or `{ all: ['a*', '*b'] }`, the texts that all of these match, if no single
 * pattern describes them. `formatPattern` formats both.
 */
export type RegionPattern = string | { readonly all: readonly string[] };

/** An action and a resource; each may be a pattern. */
export type PatternPair = { readonly action: string; readonly resource: string };

/** Actions on resources. */
export type RegionPair = { readonly action: RegionPattern; readonly resource: RegionPattern };

/** Questions: those that `action` and `resource` match, without those that an exception matches. */
export interface Region extends RegionPair {
  readonly except: readonly RegionPair[];
}

/** The statement that grants access, and the role through which it does so. */
export interface Reason {
  /**
   * `binding`: a role bound to the user; `group`: one bound to a group that the subject names; `request`: a role that
   * the subject names.
   */
  readonly via: 'binding' | 'group' | 'request' | 'superuser';
  /** The role; undefined for the superuser. */
  readonly role?: string;
  /** The policy that holds the statement. */
  readonly policy?: string;
  /** The index of the statement in the policy's `statements`. */
  readonly statement?: number;
}

/** A region that a subject is granted, with the reasons. */
export interface GrantedRegion extends Region {
  readonly because: readonly Reason[];
}

/**
 * A user who can do something by its own bindings, or a group, or a role (documented fidelity), that gives it to each
 * subject that names it.
 */
export type Grantee = { readonly because: readonly Reason[] } & (
  | { readonly user: string; readonly role?: undefined; readonly group?: undefined }
  | { readonly group: string; readonly user?: undefined; readonly role?: undefined }
  | { readonly role: string; readonly user?: undefined; readonly group?: undefined }
);

/** A question inside a region, as an example. */
export type Witness = EvaluatorSubject & PatternPair;

/**
 * Resources below each of a user's own names: `{ own: [':docs:*'] }` matches `alice-1:docs:7` if `alice-1` is one of
 * the user's names in `AccessRegion.own`. `{ own: [''] }` matches the names themselves.
 */
export type OwnPattern = { readonly own: readonly string[] };

/** Actions on resources, which may differ from user to user. */
export type AccessPair = { readonly action: RegionPattern; readonly resource: RegionPattern | OwnPattern };

/** An exception of a region that is gained or lost. */
export interface AccessException extends AccessPair {
  /**
   * If the exception is still allowed: the statements by which users who lose the region keep this part, or by which
   * users who gain the region had it before. Undefined if this part was denied before and is denied after.
   */
  readonly because?: readonly Reason[] | undefined;
}

/** A region with the subjects that have, gain or lose it: users, or subjects that name a role or group. */
export interface AccessRegion extends AccessPair {
  readonly except: readonly AccessException[];
  readonly because: readonly Reason[];
  /** The users, sorted. */
  readonly users: readonly string[];
  /**
   * For each of `users`, the names that the `{ own }` patterns of this region stand for. Only if the region has such
   * patterns: they replace regions that differ only in a name, if there are more than ten.
   */
  readonly own?: readonly (readonly string[])[] | undefined;
  /** Roles that give the region to each subject that names them (documented fidelity), sorted. */
  readonly roles: readonly string[];
  /** Groups that give the region to each subject that names them, sorted; undefined if there are none. */
  readonly groups?: readonly string[] | undefined;
  /** A question of this region for the first of the users, else of the groups, else of the roles. */
  readonly witness: Witness;
}

/** The access that differs between two states. `formatComparison` formats it. */
export interface Comparison {
  /** Denied before, allowed after. */
  readonly gained: readonly AccessRegion[];
  /** Allowed before, denied after. */
  readonly lost: readonly AccessRegion[];
}

/** A subject, and the access that it must have completely. */
export type Requirement = EvaluatorSubject & PatternPair;

/** A requirement that is not wholly granted, with a question that is denied. */
export type MissingAccess = Requirement & { readonly witness: Witness };

/** A region to which access is allowed, for `excess`. */
export interface Allowance extends PatternPair {
  /** Allowed to these users; not `undefined`. Without users, groups and roles: to everyone. */
  readonly users?: readonly string[];
  /** Allowed to subjects that name these groups; not `undefined`. */
  readonly groups?: readonly string[];
  /** Allowed through these roles; not `undefined`. */
  readonly roles?: readonly string[];
}
