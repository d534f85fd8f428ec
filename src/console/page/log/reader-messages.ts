import type { Cause, ReplayError, UndecidedReason } from '../../../policy/analysis/index.js';
import type { LogSummary } from '../../../policy/decisions/index.js';
import type { Fidelity } from '../../../policy/index.js';
import type { PermissionsOfState } from '../../api.js';

// The messages between the page and the reader of a log, which runs in a worker, and what the reader answers.

/** The subject of decisions: a user, the hash of one, roles without a user, or the superuser (an empty name). */
export interface Who {
  readonly kind: 'user' | 'hash' | 'roles' | 'superuser';
  readonly name: string;
}

/** The decisions to count. Fields that are undefined do not filter. */
interface LogFilter {
  readonly who?: Who | undefined;
  readonly action?: string | undefined;
}

interface Counted {
  readonly denied: number;
  readonly allowed: number;
  /** The time of the last denial, or of the last decision if nothing was denied; ISO 8601. */
  readonly lastSeen: string;
}

interface WhoRow extends Counted {
  readonly who: Who;
}

interface ActionRow extends Counted {
  readonly action: string;
}

interface QuestionRow extends WhoRow, ActionRow {
  /** The groups of a user's token. */
  readonly groups: readonly string[];
  readonly resource: string;
}

/** The first rows of a list, and the number of all. */
export interface Part<T> {
  readonly rows: readonly T[];
  readonly all: number;
}

/** The decisions of an interval. */
export interface Bucket {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly denied: number;
  readonly allowed: number;
}

/** The decisions that pass a filter, over time and by user, action and question; denials first. */
export interface LogView {
  readonly denied: number;
  readonly allowed: number;
  /** Denials of the whole log that had no effect: the caller was let through. */
  readonly deniedInVain: number;
  /** Decisions of the whole log that are not counted: they failed, or lack a part of the question. */
  readonly unknown: number;
  /** The length of an interval in milliseconds. */
  readonly widthMs: number;
  readonly buckets: readonly Bucket[];
  readonly users: Part<WhoRow>;
  readonly actions: Part<ActionRow>;
  readonly questions: Part<QuestionRow>;
}

/** Decisions of one subject that flip for the same reason. */
export interface FlipGroup {
  readonly who: Who;
  readonly groups: readonly string[];
  readonly cause: Cause;
  readonly count: number;
  readonly lastSeen: string;
  readonly questions: Part<{ readonly action: string; readonly resource: string; readonly count: number }>;
}

export interface Flips extends Part<FlipGroup> {
  /** The number of decisions. */
  readonly count: number;
}

/** The requests that enforcing permissions would deny. */
interface Denials extends Flips {
  readonly users: number;
  readonly actions: number;
}

/** The decisions of the log under other permissions. */
export interface Replayed {
  readonly decisions: number;
  /** Denials of requests that the service let through. */
  readonly denied: Denials;
  readonly revoked: Flips;
  readonly gained: Flips;
  readonly notReplayed: readonly { readonly reason: ReplayError | UndecidedReason; readonly count: number }[];
}

/** The parts of the permissions that decided nothing, as lines of text. */
export interface Unused {
  /** The time of the first decision, ISO 8601; `null` without decisions. */
  readonly since: string | null;
  readonly users: number;
  readonly days: number;
  /** The number of lines without their decision. Parts that may have decided such a question are not listed. */
  readonly undecided: number;
  readonly policies: Part<string>;
  readonly statements: Part<string>;
  readonly roles: Part<string>;
  readonly bindings: Part<string>;
}

/** Permissions, and the rules to decide by. */
export interface LogState extends PermissionsOfState {
  readonly fidelity: Fidelity;
}

/** The questions that the reader answers, with their answers. */
export interface LogAnswers {
  readonly view: LogView;
  readonly replay: Replayed;
  readonly usage: Unused;
}

/** The questions: at most `most` rows of each list are answered. */
export interface LogQuestions {
  /** `text`: parts of names, of which each row of a list contains one. */
  readonly view: LogFilter & { readonly text?: string | undefined; readonly most: number };
  /** Without a baseline the decisions of the log are compared. */
  readonly replay: { readonly state: LogState; readonly baseline: LogState | undefined; readonly most: number };
  readonly usage: { readonly state: LogState; readonly most: number };
}

export type LogQuestionName = keyof LogQuestions;

/** A message of the page. `end` follows the last chunk. */
export type ToReader =
  | { readonly type: 'chunk'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'ask'; readonly id: number; readonly name: LogQuestionName; readonly question: unknown };

/** A message of the reader. `pull` asks for another chunk. */
export type FromReader =
  | { readonly type: 'pull' }
  | { readonly type: 'progress'; readonly lines: number; readonly decisions: number }
  | { readonly type: 'read'; readonly summary: LogSummary }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number | undefined; readonly message: string };
