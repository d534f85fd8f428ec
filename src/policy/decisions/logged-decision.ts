import type { DecisionLine } from '../decision-line/line.js';

/** A decision that was read from a log. */
export interface LoggedDecision {
  /** The number of its line, from 1. */
  readonly line: number;
  /** The decision. */
  readonly decision: DecisionLine;
}
