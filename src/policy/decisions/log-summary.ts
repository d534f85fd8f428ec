import type { SkipReason } from './line-reading.js';

/** Lines of one kind that gave no decision. */
export interface SkippedLines {
  /** The reason. */
  readonly reason: SkipReason;
  /** The number of these lines. */
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

/** The explanations of a log without decisions, by the lines that it has instead; the first that applies is used. */
const causes: readonly (readonly [reason: SkipReason, cause: string])[] = [
  ['always', `it was written under the authorization type always; ${remedy}`],
  [
    'debug',
    `lines of level debug are steps of evaluations under the type central, without roles and scopes; ${remedy}`,
  ],
  ['ambiguous', `the types always and central-permissive write such lines alike; ${remedy}`],
  ['failed', 'the platform could not evaluate the questions'],
  ['event', `under the types central, always and never the platform logs none; ${remedy}`],
  ['other-version', 'lines are of a newer version of the format'],
  ['invalid', 'lines lack a field, or have one of another type'],
  ['incomplete', 'lines break off'],
  ['not-utf8', 'lines are not UTF-8 (PowerShell 5 writes UTF-16 to files)'],
  ['too-long', 'lines are longer than 1 MiB'],
  ['damaged', 'the gzip file is damaged'],
];

/** Says why a log has no decisions. */
export function explainEmptyLog(lines: number, skipped: ReadonlySet<SkipReason>): string {
  if (lines === 0 && skipped.size === 0) return 'the log is empty';
  const cause = causes.find(([reason]) => skipped.has(reason))?.[1];
  return `the log holds no decisions: ${cause ?? 'no line is one of this package or of the platform'}`;
}
