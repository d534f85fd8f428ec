import type { GapLine } from '../decision-line/gap-line.js';
import type { DecisionLine } from '../decision-line/line.js';

/**
 * The reason for which a line gave no decision. `foreign`: another program's. `event`: a line of the platform about
 * something else, such as a changed policy. `debug`: a step of an evaluation, which the platform logs at level debug
 * with neither roles nor scope. `always`: a check of the management service under the type `always`, which evaluates
 * nothing. `failed`: the platform could not evaluate the question. `ambiguous`: a line that the types `always` and
 * `central-permissive` write alike. `other-version`: a line of a newer version of this format. `invalid`: a line with a
 * field that is missing or has another type. `incomplete`: a line that breaks off. `too-long`: a line of more than
 * 1 MiB. `not-utf8`: a line with bytes that are not UTF-8, or with U+FFFD in their place. `damaged`: a gzip file that
 * breaks off or, in a browser, has a second member; the line number is that of the last line before.
 */
export type SkipReason =
  | 'foreign'
  | 'event'
  | 'debug'
  | 'always'
  | 'failed'
  | 'ambiguous'
  | 'other-version'
  | 'invalid'
  | 'incomplete'
  | 'too-long'
  | 'not-utf8'
  | 'damaged';

/** A question whose line does not tell what was decided. Its line is skipped, and analyses count the question. */
export interface HiddenDecision {
  readonly kind: 'hidden';
  readonly reason: SkipReason;
  readonly time: string;
  readonly user: string;
  /** Undefined if the line does not hold the roles. */
  readonly groups: readonly string[] | undefined;
  readonly action: string;
  readonly resource: string;
}

/** The content of a line: a decision, a gap, a question without its decision, or the reason for which it is skipped. */
export type LineReading = DecisionLine | GapLine | HiddenDecision | SkipReason;
