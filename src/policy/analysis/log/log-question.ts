import type { EvaluatorSubject } from '../../index.js';
import type { Tally } from './tally.js';

/** The decisions of a log about one question. */
export interface Question {
  readonly subject: EvaluatorSubject;
  readonly action: string;
  readonly resource: string;
  /** The decisions whose effect is Allow. */
  readonly allowed: Tally;
  /** The decisions whose effect is Deny, and after which the caller was let through. */
  readonly denied: Tally;
  /** The decisions whose effect is Deny, and that were enforced; undefined if there are none. */
  refused: Tally | undefined;
  /** The decisions that the log does not tell, and after which the caller was let through; undefined if none. */
  unclear: Tally | undefined;
}

/** All decisions about a question. */
export const talliesOf = ({ allowed, denied, refused, unclear }: Question): Tally[] =>
  [allowed, denied, refused, unclear].flatMap((part) => part ?? []);
