import type { DecisionLine } from './line.js';

/**
 * A decision as a decider gives it, in the fields of a {@link DecisionLine}. Other fields never reach a log. A log
 * formats it later, so nothing in it may change.
 */
export interface MadeDecision extends Omit<DecisionLine, 'v' | 'kind' | 'time' | 'enforced' | 'masked'> {
  /** The time of the decision (RFC 3339). Default: when it is recorded. */
  readonly time?: string | undefined;
  /** False where the caller is let through whatever the effect is. Default true. */
  readonly enforced?: boolean | undefined;
}
