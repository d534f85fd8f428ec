import { asGiven, type ReadersOf } from '../../../base/lib/readers.js';
import type { Evaluator } from '../../index.js';
import type { AnalysisOptions, AnalysisState } from '../analysis-types.js';
import { fidelityIn, readEvaluator } from '../read-evaluator.js';
import { analysisOptions, readOptions } from '../read-input.js';
import { readUndecided } from './hidden.js';
import { Knowledge, type KnownParts, knownReaders } from './known-parts.js';
import { talliesOf } from './log-question.js';
import type { LogCoverage, LoggedDecisions, Seen, Undecided } from './log-types.js';
import { type Questions, readQuestions } from './read-questions.js';
import { Reasons } from './reasons.js';
import { Changes, type ReplayChange, type ReplayErrors, readErrors } from './replay-changes.js';
import { sum, Tally } from './tally.js';

/** Options of `replay`. */
export interface ReplayOptions extends Pick<AnalysisOptions, 'fidelity'>, KnownParts {
  /** The state that the decisions are compared with. Default: the effects of the log. */
  readonly baseline?: AnalysisState | undefined;
}

const readers = analysisOptions({
  ...knownReaders,
  baseline: asGiven,
} satisfies ReadersOf<Pick<ReplayOptions, 'baseline' | keyof KnownParts>>);

/** The decisions of a log under another state. */
export interface Replay {
  /** The extent of the log, without the decisions in `error`. */
  readonly log: LogCoverage;
  /** Denied before, allowed by the state. */
  readonly gained: ReplayChange;
  /** Allowed before, denied by the state. */
  readonly revoked: ReplayChange;
  readonly unchanged: Seen;
  /** Failed decisions, questions without a subject, and questions that are not known. */
  readonly error: ReplayErrors;
  /**
   * The lines that do not tell the decision about their question, so that it cannot be compared. With a baseline, those
   * that have the whole question are compared.
   */
  readonly undecided: Undecided;
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
export async function replay(log: LoggedDecisions, state: AnalysisState, options: ReplayOptions = {}): Promise<Replay> {
  const { baseline, users, groups, unread, ...rest } = readOptions(options, readers);
  // The cast: readEvaluator refuses anything else.
  const baselineState = baseline as AnalysisState | undefined;
  const rules = { fidelity: rest.fidelity, usual: fidelityIn(state) ?? (baselineState && fidelityIn(baselineState)) };
  const after = readEvaluator(state, rules);
  const before = baseline === undefined ? undefined : readEvaluator(baseline as AnalysisState, rules, 'baseline');
  return replayQuestions(await readQuestions(log), after, before, { users, groups, unread });
}

/** Decides the questions of a log that was read already. Without `before` the effects of the log are compared. */
export function replayQuestions(
  all: Questions,
  after: Evaluator,
  before: Evaluator | undefined,
  parts: KnownParts = {},
): Replay {
  const { questions, errors, coverage, undecided } = new Knowledge(after, parts).divide(all).known;
  const reasons = new Reasons(after);
  const [gained, revoked, unchanged, none] = [new Changes(), new Changes(), new Tally(), new Tally()];
  for (const question of questions) {
    const { subject, action, resource, allowed, refused } = question;
    const denied = refused ? sum([question.denied, refused]) : question.denied;
    const now = reasons.evaluator.isAllowed({ ...subject, action, resource });
    const was = before?.isAllowed({ ...subject, action, resource });
    const whole = sum(talliesOf(question));
    const [grantedBefore, deniedBefore] = was === undefined ? [allowed, denied] : was ? [whole, none] : [none, whole];
    const changed = now ? deniedBefore : grantedBefore;
    unchanged.merge(now ? grantedBefore : deniedBefore);
    if (changed.count === 0) continue;
    (now ? gained : revoked).add(question, changed, reasons.ruling(subject, action, resource).cause);
  }
  const left = before ? undecided.filter(({ question }) => question === undefined) : undecided;
  return {
    log: coverage,
    gained: gained.read(),
    revoked: revoked.read(),
    unchanged: unchanged.seen,
    error: readErrors(errors),
    undecided: readUndecided(left),
  };
}
