import type { DecisionLine } from '../../decision-line/line.js';
import type { LoggedDecision } from '../../decisions/logged-decision.js';
import type { EvaluatorSubject } from '../../index.js';
import type { PatternPair } from '../analysis-types.js';

/** The decisions of a log: what `readDecisions` yields, or the lines themselves. */
export type LoggedDecisions = AsyncIterable<LoggedDecision | DecisionLine> | Iterable<LoggedDecision | DecisionLine>;

/** A number of logged decisions, and their first and last time (RFC 3339); no times if there are none. */
export interface Seen {
  readonly count: number;
  readonly firstSeen: string | undefined;
  readonly lastSeen: string | undefined;
}

/** The decisions that a log holds. */
export interface LogCoverage extends Seen {
  /** The number of distinct questions. */
  readonly questions: number;
  /** The number of users. */
  readonly users: number;
  /** The number of days (UTC) with decisions, those that are not known included. */
  readonly days: number;
}

/** A question of a log, with its decisions. */
export interface LoggedQuestion extends Seen, PatternPair {
  readonly subject: EvaluatorSubject;
}

/** The statement behind a decision, or the reason without one. */
export interface Cause {
  /** In the words of `explain`. */
  readonly reason:
    | 'superuser'
    | 'allowed'
    | 'explicit-deny'
    | 'nothing-allows'
    | 'no-binding'
    | 'empty-user'
    | 'empty-action';
  /** The role of the statement. */
  readonly role?: string | undefined;
  /** The policy of the statement; undefined for a statement of a scope. */
  readonly policy?: string | undefined;
  /** The index of the statement, from 0. */
  readonly statement?: number | undefined;
}

/**
 * The reason for which a logged decision cannot be replayed. `not-known`: the answer depends on a part of the
 * deployment that the state lacks, as the options `users` and `unread` say.
 */
export type ReplayError = 'failed' | 'no-subject' | 'not-known';

/**
 * The reason for which a log does not tell the decision about a question. `masked`: a line without its user, groups,
 * action, resource or effect. `dropped`: a line that stands for decisions that were not written. Others: a line that is
 * skipped for that reason, and has a question or may hide one.
 */
export type UndecidedReason =
  | 'ambiguous'
  | 'always'
  | 'debug'
  | 'event'
  | 'failed'
  | 'invalid'
  | 'other-version'
  | 'masked'
  | 'incomplete'
  | 'too-long'
  | 'not-utf8'
  | 'damaged'
  | 'dropped';

/** A line of a log. */
export interface LogPlace {
  /** The file, if there are several. */
  readonly file?: string | undefined;
  /** The number of the line, from 1. */
  readonly line: number;
}

/** The lines without a decision that have one reason in common. Unreadable lines have no time. */
export interface UndecidedLines extends Seen {
  /** The reason. */
  readonly reason: UndecidedReason;
  /** The first lines, at most 20; none of a log whose lines have no numbers. */
  readonly lines: readonly LogPlace[];
}

/** The lines of a log that hold a question without its decision. */
export interface Undecided extends Seen {
  /** The lines by reason. */
  readonly groups: readonly UndecidedLines[];
}
