import { createMomentReader } from '../../../base/lib/moment.js';
import { remember } from '../../../base/lib/remember.js';
import { hasMethod, isObject } from '../../../base/lib/values.js';
import type { DecisionLine, DecisionSubject } from '../../decision-line/line.js';
import { batchesOf, type HiddenLine, isHidden } from '../../decisions/batches.js';
import type { HiddenDecision } from '../../decisions/line-reading.js';
import type { LoggedDecision } from '../../decisions/logged-decision.js';
import type { EvaluatorSubject } from '../../index.js';
import { refuse } from '../analysis-error.js';
import { type HiddenQuestion, hiddenIn, note, type UndecidedRecord } from './hidden.js';
import { HiddenQuestions } from './hidden-questions.js';
import { type Question, talliesOf } from './log-question.js';
import type {
  LogCoverage,
  LoggedDecisions,
  LoggedQuestion,
  LogPlace,
  ReplayError,
  UndecidedReason,
} from './log-types.js';
import { isNear, isStep, type LineMoment, mayBelong } from './steps.js';
import { sum, Tally } from './tally.js';

/** A log, with equal questions counted once: memory depends on the number of distinct questions. */
export interface Questions {
  readonly questions: readonly Question[];
  readonly errors: ReadonlyMap<ReplayError, Tally>;
  readonly coverage: LogCoverage;
  /** The questions that are hidden, at least in part; without those of `questions`. */
  readonly hidden: readonly HiddenQuestion[];
  /** The lines that do not tell a decision, about the questions of both lists. */
  readonly undecided: readonly UndecidedRecord[];
}

const dayMs = 86_400_000;

/** The reason for which a decision cannot be replayed. */
function errorOf({ reason, subject, effect }: DecisionLine): ReplayError | undefined {
  if (reason === 'failed') return 'failed';
  if (reason === 'no-subject') return 'no-subject';
  // The superuser is never denied.
  const isNobody = subject.user === undefined && !subject.groups?.length;
  return isNobody && effect === 'Deny' ? 'no-subject' : undefined;
}

function toSubject({ user, groups = [] }: DecisionSubject): EvaluatorSubject {
  if (user !== undefined) return groups.length > 0 ? { user, roles: groups } : { user };
  return groups.length > 0 ? { roles: groups } : { superuser: true };
}

const isLogged = (item: LoggedDecision | DecisionLine): item is LoggedDecision => isObject(item) && 'decision' in item;

/** False for anything else that callers without types pass: gaps, or lines as text. */
const isDecision = (value: unknown): boolean => isObject(value) && value.kind === 'decision' && isObject(value.subject);

/** A question, with its last decision. */
interface DecidedQuestion extends Question, LineMoment {
  ms: number;
  file: string | undefined;
}

interface KnownSubject {
  readonly subject: EvaluatorSubject;
  /** The questions of the subject by action and resource: two short keys are found faster than a joined one. */
  readonly questions: Map<string, Map<string, DecidedQuestion>>;
}

/** Subjects by user and groups. */
class Subjects {
  readonly #ofUser = new Map<string | undefined, Map<string, KnownSubject>>();

  get(subject: DecisionSubject): KnownSubject {
    const { user, groups } = subject;
    const [first] = groups ?? [];
    // Only the key of a list begins with a bracket.
    const key = first === undefined ? '' : groups?.length === 1 ? `"${first}` : JSON.stringify(groups);
    const subjects = remember(this.#ofUser, user, () => new Map<string, KnownSubject>());
    return remember(subjects, key, () => ({ subject: toSubject(subject), questions: new Map() }));
  }

  /** True if a decision about the question of a step is logged before it, with roles that the step may have. */
  hasDecided(step: HiddenQuestion, { user, action, resource }: HiddenDecision, moment: LineMoment): boolean {
    const subjects = [...(this.#ofUser.get(user)?.values() ?? [])];
    return subjects.some(({ subject, questions }) => {
      const question = questions.get(action)?.get(resource);
      return question !== undefined && isNear(question, moment) && mayBelong(step, subject.roles);
    });
  }

  get users(): number {
    return this.#ofUser.size - (this.#ofUser.has(undefined) ? 1 : 0);
  }
}

/** The question of a line of which nothing is known. */
const anything: HiddenQuestion = {
  user: { any: true },
  roles: undefined,
  action: undefined,
  resource: undefined,
  mayAllow: true,
};

/** Collects the questions of a log, one decision after the other. */
export class QuestionsReader {
  readonly #subjects = new Subjects();
  readonly #questions: Question[] = [];
  readonly #errors = new Map<ReplayError, Tally>();
  readonly #days = new Set<number>();
  readonly #hidden = new HiddenQuestions();
  #time = '';
  #ms = Number.NaN;
  readonly #readMoment = createMomentReader();

  /** The name of the file whose lines are added, if there are several. */
  file: string | undefined;

  /** Adds a decision. Returns its question; undefined if it cannot be replayed. */
  add(item: LoggedDecision | DecisionLine): Question | undefined {
    const decision = isLogged(item) ? item.decision : item;
    if (!isDecision(decision)) refuse('log', 'expected decisions, as readDecisions yields them');
    const { time, action, resource, effect, enforced } = decision;
    this.#setTime(time);
    const hidden = hiddenIn(decision);
    if (hidden !== undefined) {
      const record = this.#hidden.add(hidden, decision.reason === 'failed' ? 'failed' : 'masked');
      if (decision.reason !== 'failed') note(record, time, this.#ms, isLogged(item) ? this.#place(item) : undefined);
    }
    const error = hidden === undefined || decision.reason === 'failed' ? errorOf(decision) : undefined;
    if (error !== undefined) remember(this.#errors, error, () => new Tally()).add(time, this.#ms);
    if (hidden !== undefined || error !== undefined) return undefined;
    const question = this.#find(decision.subject, action, resource);
    if (effect === 'Allow') question.allowed.add(time, this.#ms);
    else if (!enforced) question.denied.add(time, this.#ms);
    else {
      question.refused ??= new Tally();
      question.refused.add(time, this.#ms);
    }
    this.#decide(question, decision.subject);
    return question;
  }

  #decide(question: DecidedQuestion, { user, groups }: DecisionSubject): void {
    this.#days.add(Math.floor(this.#ms / dayMs));
    question.ms = this.#ms;
    question.file = this.file;
    this.#hidden.decide(user, groups, question);
  }

  /** Adds a line that does not tell the decision about its question. */
  addHidden(item: HiddenLine): void {
    const { hidden } = item;
    if (typeof hidden === 'string') {
      note(this.#hidden.add(anything, hidden), '', Number.NaN, this.#place(item));
      return;
    }
    const { reason, time, user, groups, action, resource } = hidden;
    this.#setTime(time);
    // The cast: only lines with these reasons have questions.
    const undecidedReason = reason as UndecidedReason;
    const hiddenQuestion: HiddenQuestion = { user, roles: groups, action, resource, mayAllow: true };
    if (isStep(undecidedReason)) {
      const moment = { ms: this.#ms, file: this.file };
      if (this.#subjects.hasDecided(hiddenQuestion, hidden, moment)) return;
      this.#hidden.addStep(hidden, hiddenQuestion, moment, this.#place(item));
      return;
    }
    // Each authorization type that writes such a line lets the caller through.
    if (groups === undefined || (undecidedReason !== 'ambiguous' && undecidedReason !== 'always')) {
      note(this.#hidden.add(hiddenQuestion, undecidedReason), time, this.#ms, this.#place(item));
      return;
    }
    const question = this.#find({ user, groups }, action, resource);
    question.unclear ??= new Tally();
    question.unclear.add(time, this.#ms);
    this.#decide(question, { user, groups });
    note(this.#hidden.addUnclear(question, undecidedReason), time, this.#ms, this.#place(item));
  }

  #place({ line }: { readonly line: number }): LogPlace {
    return this.file === undefined ? { line } : { file: this.file, line };
  }

  #setTime(time: string): void {
    if (time === this.#time) return;
    this.#time = time;
    this.#ms = this.#readMoment(time);
  }

  #find(of: DecisionSubject, action: string, resource: string): DecidedQuestion {
    const { subject, questions } = this.#subjects.get(of);
    const byResource = remember(questions, action, () => new Map<string, DecidedQuestion>());
    return remember(byResource, resource, () => {
      const [allowed, denied] = [new Tally(), new Tally()];
      const none = { refused: undefined, unclear: undefined, ms: Number.NaN, file: undefined };
      const question: DecidedQuestion = { subject, action, resource, allowed, denied, ...none };
      this.#questions.push(question);
      return question;
    });
  }

  read(): Questions {
    // In the order of their times, so that a log that was split into files reads alike.
    const questions = this.#questions
      .map((question) => ({ question, first: sum(talliesOf(question)).firstMs }))
      .sort((a, b) => a.first - b.first || 0)
      .map(({ question }) => question);
    const { seen } = sum(questions.flatMap(talliesOf));
    const coverage = { ...seen, questions: questions.length, users: this.#subjects.users, days: this.#days.size };
    return { questions, errors: this.#errors, coverage, ...this.#hidden.read() };
  }
}

/** Reads a log; throws AnalysisError if it is not a log; its own error while it is read. */
export async function readQuestions(log: LoggedDecisions): Promise<Questions> {
  const reader = new QuestionsReader();
  await addTo(reader, log);
  return reader.read();
}

/** Adds all decisions of a log. */
export async function addTo(reader: QuestionsReader, log: LoggedDecisions): Promise<void> {
  const batches = batchesOf(log);
  if (batches !== undefined) {
    for await (const batch of batches) {
      for (const item of batch) {
        if (isHidden(item)) reader.addHidden(item);
        else reader.add(item);
      }
    }
  } else if (hasMethod(log, Symbol.asyncIterator)) for await (const item of log) reader.add(item);
  // The cast: a log that is not asynchronous.
  else if (hasMethod(log, Symbol.iterator)) for (const item of log as Iterable<DecisionLine>) reader.add(item);
  else refuse('log', 'expected an iterable of decisions, as readDecisions returns it');
}

/** A question as results hold it. */
export function toLogged({ subject, action, resource }: Question, tally: Tally): LoggedQuestion {
  return { subject, action, resource, ...tally.seen };
}
