import { asGiven, type ReadersOf } from '../../lib/readers.js';
import type { EvaluatorSubject } from '../../policy/index.js';
import { readEvaluator } from '../model.js';
import { analysisOptions, readOptions } from '../read-input.js';
import { remember } from '../space.js';
import type { AnalysisOptions, AnalysisState } from '../types.js';
import { type Question, readQuestions, toLogged } from './questions.js';
import { Reasons } from './reasons.js';
import { sum, Tally } from './tally.js';
import type { Cause, DecisionLog, LogCoverage, LoggedQuestion, ReplayError, Seen } from './types.js';

/** Options of `replay`. */
export interface ReplayOptions extends Pick<AnalysisOptions, 'fidelity'> {
  /** The state that the decisions are compared with. Default: the effects of the log. */
  readonly baseline?: AnalysisState | undefined;
}

const readers = analysisOptions({ baseline: asGiven } satisfies ReadersOf<Pick<ReplayOptions, 'baseline'>>);

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

/** The decisions of a log under another state. */
export interface Replay {
  /** The extent of the log, without the decisions in `error`. */
  readonly log: LogCoverage;
  /** Denied before, allowed by the state. */
  readonly gained: ReplayChange;
  /** Allowed before, denied by the state. */
  readonly revoked: ReplayChange;
  readonly unchanged: Seen;
  /** Failed decisions, and lines without the fields that a question needs. */
  readonly error: ReplayErrors;
}

/** Collects changed decisions by cause and subject. */
class Changes {
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

/**
 * Decides each question of a log again, by another state, and compares the decisions with those of the log or of a
 * baseline. Equal questions are decided once; memory depends on the number of distinct questions, not of lines. The
 * context of a request is not used, as the services do not use it either.
 * @param log the decisions, from `readDecisions`. Its lines under `central-permissive` hold what was evaluated.
 * @param state the state to decide by
 * @param options see {@link ReplayOptions}
 * @throws AnalysisError (code `ANALYSIS`) for input that is not valid; PolicyError (code `POLICY`) for a state that
 *   does not validate; the log's own error while it is read.
 * @example
 * ```ts
 * import { replay } from 'arango-services/analysis';
 * import { readDecisions } from 'arango-services/decisions';
 *
 * const lines = new Blob([]); // a file, or any stream of bytes
 * const { revoked, log: covered } = await replay(readDecisions(lines.stream()), {});
 * console.log(`${revoked.count} of ${covered.count} decisions would be denied`);
 * ```
 */
export async function replay(log: DecisionLog, state: AnalysisState, options: ReplayOptions = {}): Promise<Replay> {
  const { baseline, ...rest } = readOptions(options, readers);
  const reasons = new Reasons(readEvaluator(state, rest));
  // The cast: readEvaluator refuses anything else.
  const before = baseline === undefined ? undefined : readEvaluator(baseline as AnalysisState, rest, 'baseline');
  const { questions, errors, coverage } = await readQuestions(log);

  const [gained, revoked, unchanged, none] = [new Changes(), new Changes(), new Tally(), new Tally()];
  for (const question of questions) {
    const { subject, action, resource, allowed, denied } = question;
    const now = reasons.evaluator.isAllowed({ ...subject, action, resource });
    const was = before?.isAllowed({ ...subject, action, resource });
    const [grantedBefore, deniedBefore] =
      was === undefined ? [allowed, denied] : was ? [sum([allowed, denied]), none] : [none, sum([allowed, denied])];
    const changed = now ? deniedBefore : grantedBefore;
    unchanged.merge(now ? grantedBefore : deniedBefore);
    if (changed.count === 0) continue;
    (now ? gained : revoked).add(question, changed, reasons.ruling(subject, action, resource).cause);
  }
  const failed = [...errors].map(([reason, tally]) => ({ reason, ...tally.seen }));
  const error = { ...sum(errors.values()).seen, groups: failed };
  return { log: coverage, gained: gained.read(), revoked: revoked.read(), unchanged: unchanged.seen, error };
}
