import type { SkipReason } from './reading.js';

/** Lines of one kind that gave no decision. */
export interface SkippedLines {
  /** The reason. */
  readonly reason: SkipReason;
  /** Their number. */
  readonly count: number;
  /** The number of the first one, from 1. */
  readonly firstLine: number;
}

/** The counts of a log, up to the decision that was read last. */
export interface LogSummary {
  /** The number of lines, empty ones included. */
  readonly lines: number;
  /** The number of decisions. */
  readonly decisions: number;
  /** The time of the earliest decision; undefined without decisions. */
  readonly from: string | undefined;
  /** The time of the latest decision; undefined without decisions. */
  readonly to: string | undefined;
  /** The number of decisions that the writer of the log dropped, as its `gap` lines say. */
  readonly dropped: number;
  /** The lines that gave no decision, by reason, in the order of their first lines. */
  readonly skipped: readonly SkippedLines[];
  /** Says why a log without decisions has none; undefined if it has some. */
  readonly problem: string | undefined;
}

const remedy = 'the platform logs them under the authorization type central-permissive, at level info';

/** Says why a log has no decisions. */
export function explainEmptyLog(lines: number, skipped: ReadonlySet<SkipReason>): string {
  if (lines === 0) return 'the log is empty';
  const cause = findCause(skipped);
  if (cause === undefined) return 'the log holds no decisions: no line is one of this package or of the platform';
  return `the log holds no decisions: ${cause}; ${remedy}`;
}

function findCause(skipped: ReadonlySet<SkipReason>): string | undefined {
  if (skipped.has('always')) return 'it was written under the authorization type always';
  if (skipped.has('debug'))
    return 'lines of level debug are steps of evaluations under the type central, without roles and scopes';
  return skipped.has('event') ? 'under the types central, always and never the platform logs none' : undefined;
}
