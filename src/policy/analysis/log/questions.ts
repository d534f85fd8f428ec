import { createMomentReader } from '../../../base/lib/moment.js';
import { hasMethod, isObject } from '../../../base/lib/values.js';
import type { DecisionLine, DecisionSubject } from '../../decision-line/line.js';
import { batchesOf } from '../../decisions/batches.js';
import type { LoggedDecision } from '../../decisions/logged-decision.js';
import type { EvaluatorSubject } from '../../index.js';
import { refuse } from '../error.js';
import { remember } from '../space.js';
import { sum, Tally } from './tally.js';
import type { DecisionLog, LogCoverage, LoggedQuestion, ReplayError } from './types.js';

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
}

/** A log, with equal questions counted once: memory depends on the number of distinct questions. */
export interface Questions {
  readonly questions: readonly Question[];
  readonly errors: ReadonlyMap<ReplayError, Tally>;
  readonly coverage: LogCoverage;
}

const dayMs = 86_400_000;

/** Fields without which the question is not known. */
const isNeeded = (pointer: string): boolean => /^\/(?:subject|action|resource)(?:\/|$)/.test(pointer);

/** The reason for which a decision cannot be replayed. */
function errorOf({ reason, masked, subject, effect }: DecisionLine): ReplayError | undefined {
  if (reason === 'failed') return 'failed';
  if (masked?.some(isNeeded) || (subject.user === undefined && subject.userHash !== undefined)) return 'masked';
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

interface KnownSubject {
  readonly subject: EvaluatorSubject;
  /** Its questions by action and resource: two short texts are found faster than one that joins them. */
  readonly questions: Map<string, Map<string, Question>>;
}

/** Subjects by user and groups. */
class Subjects {
  readonly #ofUser = new Map<string | undefined, Map<string, KnownSubject>>();

  get(subject: DecisionSubject): KnownSubject {
    const { user, groups } = subject;
    const [first] = groups ?? [];
    // Only the key of a list begins with a bracket.
    const key = first === undefined ? '' : groups?.length === 1 ? `"${first}` : JSON.stringify(groups);
    const known = remember(this.#ofUser, user, () => new Map<string, KnownSubject>());
    return remember(known, key, () => ({ subject: toSubject(subject), questions: new Map() }));
  }

  get users(): number {
    return this.#ofUser.size - (this.#ofUser.has(undefined) ? 1 : 0);
  }
}

/** Collects the questions of a log, one decision after the other. */
export class QuestionsReader {
  readonly #subjects = new Subjects();
  readonly #questions: Question[] = [];
  readonly #errors = new Map<ReplayError, Tally>();
  readonly #days = new Set<number>();
  #time = '';
  #ms = Number.NaN;
  readonly #readMoment = createMomentReader();

  /** Adds a decision. Returns its question; undefined if it cannot be replayed. */
  add(item: LoggedDecision | DecisionLine): Question | undefined {
    const decision = isLogged(item) ? item.decision : item;
    if (!isDecision(decision)) refuse('log', 'expected decisions, as readDecisions yields them');
    const { time, action, resource, effect, enforced } = decision;
    if (time !== this.#time) {
      this.#time = time;
      this.#ms = this.#readMoment(time);
    }
    const error = errorOf(decision);
    if (error !== undefined) {
      remember(this.#errors, error, () => new Tally()).add(time, this.#ms);
      return undefined;
    }
    const { subject, questions } = this.#subjects.get(decision.subject);
    const byResource = remember(questions, action, () => new Map<string, Question>());
    let question = byResource.get(resource);
    if (question === undefined) {
      question = { subject, action, resource, allowed: new Tally(), denied: new Tally(), refused: undefined };
      byResource.set(resource, question);
      this.#questions.push(question);
    }
    if (effect === 'Allow') question.allowed.add(time, this.#ms);
    else if (!enforced) question.denied.add(time, this.#ms);
    else {
      question.refused ??= new Tally();
      question.refused.add(time, this.#ms);
    }
    this.#days.add(Math.floor(this.#ms / dayMs));
    return question;
  }

  read(): Questions {
    const questions = this.#questions;
    const { seen } = sum(
      questions.flatMap(({ allowed, denied, refused }) => [allowed, denied, ...(refused ? [refused] : [])]),
    );
    const coverage = { ...seen, questions: questions.length, users: this.#subjects.users, days: this.#days.size };
    return { questions, errors: this.#errors, coverage };
  }
}

/**
 * Reads a log.
 * @throws AnalysisError if it is not a log; its own error while it is read.
 */
export async function readQuestions(log: DecisionLog): Promise<Questions> {
  const reader = new QuestionsReader();
  const batches = batchesOf(log);
  if (batches !== undefined) {
    for await (const batch of batches) for (const item of batch) reader.add(item);
  } else if (hasMethod(log, Symbol.asyncIterator)) for await (const item of log) reader.add(item);
  // The cast: a log that is not asynchronous.
  else if (hasMethod(log, Symbol.iterator)) for (const item of log as Iterable<DecisionLine>) reader.add(item);
  else refuse('log', 'expected an iterable of decisions, as readDecisions returns it');
  return reader.read();
}

/** A question as results hold it. */
export function toLogged({ subject, action, resource }: Question, tally: Tally): LoggedQuestion {
  return { subject, action, resource, ...tally.seen };
}
