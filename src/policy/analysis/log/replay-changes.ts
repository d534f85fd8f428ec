import { remember } from '../../../base/lib/remember.js';
import type { EvaluatorSubject } from '../../index.js';
import type { Question } from './log-question.js';
import type { Cause, LoggedQuestion, ReplayError, Seen } from './log-types.js';
import { toLogged } from './read-questions.js';
import { sum, Tally } from './tally.js';

/** Changed decisions of one user, by the same statement or for the same reason. */
export interface ReplayGroup extends Seen {
  /** Gained: the statement that allows now. Revoked: the reason for which it is denied now. */
  readonly cause: Cause;
  readonly subject: EvaluatorSubject;
  /** The questions, most frequent first. */
  readonly questions: readonly LoggedQuestion[];
}

/** Decisions that changed. */
export interface ReplayChange extends Seen {
  /** By statement and subject, most frequent first. */
  readonly groups: readonly ReplayGroup[];
}

/** Decisions that cannot be replayed. */
export interface ReplayErrors extends Seen {
  readonly groups: readonly (Seen & { readonly reason: ReplayError })[];
}

/** Collects changed decisions by cause and subject. */
export class Changes {
  readonly #total = new Tally();
  readonly #groups = new Map<string, Map<EvaluatorSubject, { cause: Cause; total: Tally; items: LoggedQuestion[] }>>();

  add(question: Question, tally: Tally, cause: Cause): void {
    this.#total.merge(tally);
    const bySubject = remember(this.#groups, JSON.stringify(cause), () => new Map());
    const group = remember(bySubject, question.subject, () => ({ cause, total: new Tally(), items: [] }));
    group.total.merge(tally);
    group.items.push(toLogged(question, tally));
  }

  read(): ReplayChange {
    const byCount = (a: Seen, b: Seen): number => b.count - a.count;
    const groups = [...this.#groups.values()].flatMap((bySubject) =>
      [...bySubject].map(
        ([subject, { cause, total, items }]): ReplayGroup => ({
          cause,
          subject,
          ...total.seen,
          questions: items.sort(byCount),
        }),
      ),
    );
    return { ...this.#total.seen, groups: groups.sort(byCount) };
  }
}

/** Sums up the decisions that cannot be replayed. */
export function readErrors(errors: ReadonlyMap<ReplayError, Tally>): ReplayErrors {
  const groups = [...errors].map(([reason, tally]) => ({ reason, ...tally.seen }));
  return { ...sum(errors.values()).seen, groups };
}
