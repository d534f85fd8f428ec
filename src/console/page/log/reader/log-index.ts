import { remember } from '../../../../base/lib/remember.js';
import type { Question } from '../../../../policy/analysis/log/log-question.js';
import { type Questions, QuestionsReader } from '../../../../policy/analysis/log/read-questions.js';
import { Tally } from '../../../../policy/analysis/log/tally.js';
import type { DecisionLine } from '../../../../policy/decision-line/line.js';
import type { HiddenLine } from '../../../../policy/decisions/batches.js';
import type { LoggedDecision } from '../../../../policy/decisions/logged-decision.js';
import type { EvaluatorSubject } from '../../../../policy/index.js';
import type { Who } from '../reader-messages.js';
import { Column } from './column.js';
import type { Moments } from './timeline.js';

/** The decisions of a log about one question. */
interface Row {
  /** One object for all questions of a subject with the same name. */
  readonly who: Who;
  readonly groups: readonly string[];
  readonly action: string;
  readonly resource: string;
  readonly tallies: Tallies;
}

/** The decisions about a question by their effect, as those of `Question`. */
export type Tallies = Pick<Question, 'allowed' | 'denied' | 'refused'>;

const none: readonly string[] = [];

interface Subject {
  readonly who: Who;
  readonly groups: readonly string[];
}

/** The subject of a question, and its groups. */
export function whoOf({ user, roles = none }: EvaluatorSubject): Subject {
  if (user !== undefined) return { who: { kind: 'user', name: user }, groups: roles };
  if (roles.length > 0) return { who: { kind: 'roles', name: roles.join(', ') }, groups: none };
  return { who: { kind: 'superuser', name: '' }, groups: none };
}

export const isSame = (a: Who, b: Who): boolean => a.kind === b.kind && a.name === b.name;

/**
 * The decisions of a log, to count them again and again. Eight bytes are held for each decision; all else grows with
 * the distinct questions.
 */
export class LogIndex {
  readonly #reader = new QuestionsReader();
  readonly #rows: Row[] = [];
  readonly #ofQuestion = new Map<Question, number>();
  readonly #subjects = new Map<EvaluatorSubject, Subject>();
  readonly #whos = new Map<string, Who>();
  /** Questions about the hash of a user, which cannot be decided again. */
  readonly #ofHash = new Map<string, number>();
  readonly #seconds = new Column();
  readonly #marks = new Column();
  #time = '';
  #ms = 0;
  /** The number of decisions that belong to no question. */
  unknown = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = 0;

  add(item: LoggedDecision): void {
    const { decision } = item;
    const question = this.#reader.add(item);
    const { time, effect } = decision;
    if (time !== this.#time) {
      this.#time = time;
      this.#ms = Date.parse(time);
    }
    const index = question ? this.#indexOf(question) : this.#indexOfHash(decision);
    if (index === undefined) {
      this.unknown += 1;
      return;
    }
    // The time names a day that does not exist.
    if (Number.isNaN(this.#ms)) return;
    // Times before 1970 or after 2106 are drawn at these limits.
    const seconds = Math.min(Math.max(0, Math.floor(this.#ms / 1_000)), 0xffff_ffff);
    if (seconds < this.#first) this.#first = seconds;
    if (seconds > this.#last) this.#last = seconds;
    this.#seconds.push(seconds);
    this.#marks.push(2 * index + (effect === 'Deny' ? 1 : 0));
  }

  /** Adds a line that does not tell the decision about its question: it has no row, but may need a permission. */
  addHidden(item: HiddenLine): void {
    this.#reader.addHidden(item);
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** The first and the last second. */
  get span(): readonly [first: number, last: number] {
    return [this.#first, this.#last];
  }

  moments(passes: Uint8Array): Moments {
    return { seconds: this.#seconds.values, marks: this.#marks.values, passes };
  }

  /** The questions that can be decided again. */
  questions(): Questions {
    return this.#reader.read();
  }

  #indexOf(question: Question): number {
    let index = this.#ofQuestion.get(question);
    if (index === undefined) {
      const { subject, action, resource } = question;
      const { who, groups } = remember(this.#subjects, subject, () => {
        const identity = whoOf(subject);
        return { ...identity, who: this.#one(identity.who) };
      });
      index = this.#rows.push({ who, groups, action, resource, tallies: question }) - 1;
      this.#ofQuestion.set(question, index);
    }
    return index;
  }

  #one(who: Who): Who {
    return remember(this.#whos, `${who.kind} ${who.name}`, () => who);
  }

  #indexOfHash(decision: DecisionLine): number | undefined {
    const { subject, action, resource, effect, enforced, time, reason, masked = none } = decision;
    const { userHash, groups = none } = subject;
    const isKnown = !masked.some((pointer) => /^\/(?:action|resource)(?:\/|$)/.test(pointer));
    if (userHash === undefined || reason === 'failed' || !isKnown) return undefined;
    const key = JSON.stringify([userHash, groups, action, resource]);
    let index = this.#ofHash.get(key);
    if (index === undefined) {
      const tallies = { allowed: new Tally(), denied: new Tally(), refused: new Tally() };
      const who = this.#one({ kind: 'hash', name: userHash });
      index = this.#rows.push({ who, groups, action, resource, tallies }) - 1;
      this.#ofHash.set(key, index);
    }
    const { tallies } = this.#rows[index] as Row;
    const tally = effect === 'Allow' ? tallies.allowed : enforced ? tallies.refused : tallies.denied;
    tally?.add(time, this.#ms);
    return index;
  }
}
