import { anyText, listOf, oneOf, type ReadersOf } from '../../../base/lib/readers.js';
import type { Evaluator } from '../../index.js';
import type { AnalysisOptions, AnalysisState } from '../analysis-types.js';
import { readEvaluator } from '../read-evaluator.js';
import { analysisOptions, readOptions } from '../read-input.js';
import type { GranterOptions } from './granter.js';
import { findChange, type GrantingChange } from './granting-change.js';
import { readUndecided } from './hidden.js';
import { Knowledge, type KnownParts, knownReaders } from './known-parts.js';
import type { Question } from './log-question.js';
import type { Cause, LogCoverage, LoggedDecisions, LoggedQuestion, Seen, Undecided } from './log-types.js';
import { type Questions, readQuestions, toLogged } from './read-questions.js';
import { Reasons } from './reasons.js';
import { Changes, type ReplayChange, type ReplayErrors, readErrors } from './replay-changes.js';
import { sum } from './tally.js';
import { findUnused, type UnusedParts } from './usage.js';
import { collectWishes, type DeniedQuestion, type Generalise, type NotGrantedReason } from './wishes.js';

/** Options of `rehearse`. */
export interface RehearseOptions extends AnalysisOptions, KnownParts {
  /**
   * The patterns that the change may grant instead of the actions and resources of the log. `resources`: the narrowest
   * granted pattern of a resource, among statements of the same service, or `*` for a resource that no pattern matches
   * alone. `statements`: whole statements of roles that allow the question, and else `resources`. Access that another
   * role of the user denies is not left out of a pattern. Default: none.
   */
  readonly generalise?: 'resources' | 'statements' | undefined;
  /**
   * The users to whom the change may grant something. Requests of others are in `notGranted` (`unknown-user`): one may
   * have left since. Default: all.
   */
  readonly grantTo?: readonly string[] | undefined;
}

const readRehearseOptions = analysisOptions({
  ...knownReaders,
  generalise: oneOf<Generalise>('resources', 'statements'),
  grantTo: listOf(anyText),
} satisfies ReadersOf<Pick<RehearseOptions, 'generalise' | 'grantTo' | keyof KnownParts>>);

/** The requests that were let through, and that enforcing a state would deny. */
export interface RehearsedDenials extends ReplayChange {
  /** The number of users. */
  readonly users: number;
  /** The number of distinct actions. */
  readonly actions: number;
  /** The number of distinct questions. */
  readonly questions: number;
}

/** A denied question that the change does not grant. */
export interface NotGranted extends LoggedQuestion {
  readonly reason: NotGrantedReason;
  /** The reason for the denial; of an explicit Deny with the statement to change instead. */
  readonly cause: Cause;
}

/** A rehearsal of enforcement, by the requests of a log. */
export interface Rehearsal {
  /** The extent of the log, without the decisions in `error`. */
  readonly log: LogCoverage;
  /** The requests that enforcing the state would deny, by cause and subject. */
  readonly denied: RehearsedDenials;
  /** The smallest change of the state that grants the requests. */
  readonly change: GrantingChange;
  /** The denied questions that the change does not grant. */
  readonly notGranted: readonly NotGranted[];
  /** Parts of the state that decided nothing. The less the log covers, the less this says. */
  readonly unused: UnusedParts;
  /** The superuser's requests, which are never denied. */
  readonly superuser: Seen;
  /** Requests that were denied already, as the log's lines with `enforced` say. They are not granted. */
  readonly refused: Seen;
  /** Failed decisions, questions without a subject, and questions that are not known. */
  readonly error: ReplayErrors;
  /** The lines that hide a part of their question, so that it is not known if it would be denied. */
  readonly undecided: Undecided;
}

/** Reads the state to enforce; one without a fidelity of its own by the rules of today's services. */
export function readEnforced(state: AnalysisState, { fidelity }: AnalysisOptions): Evaluator {
  return readEvaluator(state, { fidelity, usual: 'sidecar' });
}

/**
 * Finds the requests of a log that were let through, and that enforcing a state would deny: whom the step from the
 * platform's type `central-permissive` to `central` would hit. Finds the smallest change that grants them: statements
 * in scopes and policies that only those users get who ask, then bindings, then roles. It grants the actions and
 * resources of the log and nothing else, which `compare` checks, unless `generalise` says otherwise. A Deny is never
 * bypassed: `notGranted` names its statement.
 * @param log the decisions, from `readDecisions`
 * @param state the state to enforce. It does not change. If it lacks bindings of some users, pass `users`: questions of
 *   others are not decided then, and the change edits no policy, because others may have the same role.
 * @param options see {@link RehearseOptions}. The default `fidelity` of a `PolicyState` is `sidecar`, the rules of
 *   today's services.
 * @throws AnalysisError (code `ANALYSIS`) for input that is not valid; PolicyError (code `POLICY`) for a state that
 *   does not validate; the log's own error while it is read.
 * @example
 * ```ts
 * import { rehearse } from 'arango-services/analysis';
 * import { readDecisions } from 'arango-services/decisions';
 *
 * const lines = new Blob([]); // a file, or any stream of bytes
 * const { denied, log, change } = await rehearse(readDecisions(lines.stream()), {});
 * console.log(`Enforcing would deny ${denied.count} of ${log.count} requests`, change.items);
 * ```
 */
export async function rehearse(
  log: LoggedDecisions,
  state: AnalysisState,
  options: RehearseOptions = {},
): Promise<Rehearsal> {
  const { fidelity, ...rest } = readOptions(options, readRehearseOptions);
  const evaluator = readEnforced(state, { fidelity });
  return rehearseQuestions(await readQuestions(log), evaluator, rest);
}

/** Rehearses the questions of a log. */
export function rehearseQuestions(
  all: Questions,
  evaluator: Evaluator,
  { generalise, grantTo, maxWork, namesFor, ...parts }: Omit<RehearseOptions, 'fidelity'> & GranterOptions,
): Rehearsal {
  const knowledge = new Knowledge(evaluator, parts);
  const { known, unknown } = knowledge.divide(all);
  const { questions, coverage, errors, hidden, undecided } = known;
  const reasons = new Reasons(evaluator);
  const denied = findAllDenied(questions, reasons);
  const someUsers = !knowledge.hasAllBindings;
  const { wishes, left } = collectWishes(denied, evaluator, { generalise, grantTo });
  const notGranted = left.map(({ denied: { question, tally }, reason, cause }): NotGranted => {
    return { ...toLogged(question, tally), reason, cause };
  });
  return {
    log: coverage,
    denied: toDenials(denied),
    // Nothing is granted through a role whose policies are not known.
    change: findChange(knowledge.least, wishes, { generalise, namesFor, maxWork, someUsers }),
    notGranted: notGranted.sort((a, b) => b.count - a.count),
    unused: findUnused(reasons, { questions, unknown, unread: parts.unread, hidden, knowledge }),
    superuser: sum(questions.flatMap(({ subject, allowed }) => (subject.superuser ? [allowed] : []))).seen,
    refused: sum(questions.flatMap(({ refused }) => refused ?? [])).seen,
    error: readErrors(errors),
    undecided: readUndecided(undecided.filter(({ question }) => question === undefined)),
  };
}

/** The questions of requests that were let through, and that a state denies. */
export const findAllDenied = (questions: readonly Question[], reasons: Reasons): readonly DeniedQuestion[] =>
  questions.flatMap((question) => findDenied(question, reasons) ?? []);

/** Groups denied questions. */
export function toDenials(denied: readonly DeniedQuestion[]): RehearsedDenials {
  const changes = new Changes();
  for (const { question, tally, cause } of denied) changes.add(question, tally, cause);
  const of = (get: (question: Question) => string | undefined): number =>
    new Set(denied.flatMap(({ question }) => get(question) ?? [])).size;
  return {
    ...changes.read(),
    users: of(({ subject }) => subject.user),
    actions: of(({ action }) => action),
    questions: denied.length,
  };
}

/** The requests about a question that were let through, if the state denies it. */
function findDenied(question: Question, reasons: Reasons): DeniedQuestion | undefined {
  const { subject, action, resource, allowed, denied, unclear } = question;
  const tally = sum([allowed, denied, ...(unclear ? [unclear] : [])]);
  if (tally.count === 0) return undefined;
  if (reasons.evaluator.isAllowed({ ...subject, action, resource })) return undefined;
  const { cause } = reasons.ruling(subject, action, resource);
  return { question, tally, cause };
}
