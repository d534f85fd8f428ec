import type { DecisionLine } from '../../decision-line/line.js';
import type { HiddenDecision } from '../../decisions/reading.js';
import { remember } from '../space.js';
import type { Question } from './question.js';
import { sum, Tally } from './tally.js';
import type { LogPlace, Undecided, UndecidedReason } from './types.js';

/** A question of which the log hides a part, or the decision. */
export interface HiddenQuestion {
  /** The user: a name, undefined if there is none, or `any` of them. */
  readonly user: string | undefined | { readonly any: true };
  /** Undefined if the log hides them. */
  readonly roles: readonly string[] | undefined;
  /** Undefined if the log hides it. */
  readonly action: string | undefined;
  /** Undefined if the log hides it. */
  readonly resource: string | undefined;
  /** False if the log tells that the question was denied. */
  readonly mayAllow: boolean;
}

/** Lines of a log that do not tell the decision about a question. */
export interface UndecidedRecord {
  readonly reason: UndecidedReason;
  /** The question, if only its decision is hidden and the caller was let through. */
  readonly question: Question | undefined;
  readonly tally: Tally;
  readonly lines: LogPlace[];
}

/** The lines of each reason that are named. */
const mostLines = 20;

/** True if a part of a line is left out, or a field around it. */
const isMasked = (masked: readonly string[], part: string): boolean =>
  masked.some((pointer) => pointer === part || pointer.startsWith(`${part}/`) || part.startsWith(`${pointer}/`));

/** The question of a line that lacks a part of it, or that failed; undefined if the line has all of it. */
export function hiddenIn({ subject, action, resource, effect, reason, masked = [] }: DecisionLine) {
  const [user, groups, anAction, aResource] = ['/subject/user', '/subject/groups', '/action', '/resource'].map((part) =>
    isMasked(masked, part),
  );
  const isAny = user || (subject.user === undefined && subject.userHash !== undefined);
  const isMissing = isAny || groups || anAction || aResource;
  if (!isMissing && reason !== 'failed') return undefined;
  const question: HiddenQuestion = {
    user: isAny ? { any: true } : subject.user,
    roles: groups ? undefined : (subject.groups ?? []),
    action: anAction ? undefined : action,
    resource: aResource ? undefined : resource,
    mayAllow: reason === 'failed' || effect === 'Allow',
  };
  return question;
}

/** The questions of a log that are hidden, equal ones once, and all lines that do not tell a decision. */
export class HiddenQuestions {
  readonly #hidden = new Map<string, { readonly question: HiddenQuestion; readonly record: UndecidedRecord }>();
  readonly #unclear = new Map<Question, Map<string, UndecidedRecord>>();

  /** Adds a question without a decision. */
  add(question: HiddenQuestion, reason: UndecidedReason): UndecidedRecord {
    const { user, roles, action, resource, mayAllow } = question;
    const key = JSON.stringify([reason, user ?? 0, roles ?? 0, action ?? 0, resource ?? 0, mayAllow]);
    return remember(this.#hidden, key, () => ({ question, record: newRecord(reason, undefined) })).record;
  }

  /** Adds a line of the platform about a question without its decision. */
  addLine({ reason, user, groups, action, resource }: HiddenDecision): UndecidedRecord {
    // The cast: only lines with these reasons have questions.
    const known = reason as UndecidedReason;
    return this.add({ user, roles: groups, action, resource, mayAllow: true }, known);
  }

  /** Adds a question whose decision alone is hidden. */
  addUnclear(question: Question, reason: UndecidedReason): UndecidedRecord {
    const records = remember(this.#unclear, question, () => new Map<string, UndecidedRecord>());
    return remember(records, reason, () => newRecord(reason, question));
  }

  /**
   * Reads all of it. Steps of an evaluation are left out if the log has its decision, and so are denials of the
   * management service: under the permissive types it logs them in both forms.
   */
  read(known: readonly Question[]) {
    const hidden = [...this.#hidden.values()];
    const isPart = ({ record: { reason } }: { readonly record: UndecidedRecord }) =>
      reason === 'debug' || reason === 'event';
    const keyOf = (user: unknown, action?: string, resource?: string) => JSON.stringify([user, action, resource]);
    const told = new Set(
      hidden.some(isPart) ? known.map(({ subject, action, resource }) => keyOf(subject.user, action, resource)) : [],
    );
    const left = hidden.filter(
      (one) => !isPart(one) || !told.has(keyOf(one.question.user, one.question.action, one.question.resource)),
    );
    const unclear = [...this.#unclear.values()].flatMap((records) => [...records.values()]);
    return {
      hidden: left.map(({ question }) => question),
      undecided: [...unclear, ...left.map(({ record }) => record)].filter(({ tally }) => tally.count > 0),
    };
  }
}

const newRecord = (reason: UndecidedReason, question: Question | undefined): UndecidedRecord => ({
  reason,
  question,
  tally: new Tally(),
  lines: [],
});

/** Counts a line. */
export function note({ tally, lines }: UndecidedRecord, time: string, ms: number, place: LogPlace | undefined): void {
  tally.add(time, ms);
  if (place !== undefined && lines.length < mostLines) lines.push(place);
}

/** Sums up the lines that do not tell a decision, by reason. */
export function readUndecided(records: readonly UndecidedRecord[]): Undecided {
  const byReason = new Map<UndecidedReason, UndecidedRecord[]>();
  for (const record of records) remember(byReason, record.reason, (): UndecidedRecord[] => []).push(record);
  const inOrder = (a: LogPlace, b: LogPlace): number => {
    const [first = '', second = ''] = [a.file, b.file];
    return first === second ? a.line - b.line : first < second ? -1 : 1;
  };
  const groups = [...byReason].map(([reason, list]) => ({
    reason,
    ...sum(list.map(({ tally }) => tally)).seen,
    lines: list
      .flatMap(({ lines }) => lines)
      .sort(inOrder)
      .slice(0, mostLines),
  }));
  return { ...sum(records.map(({ tally }) => tally)).seen, groups };
}
