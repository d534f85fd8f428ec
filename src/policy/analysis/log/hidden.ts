import { remember } from '../../../base/lib/remember.js';
import type { DecisionLine } from '../../decision-line/line.js';
import type { Question } from './log-question.js';
import type { LogPlace, Undecided, UndecidedReason } from './log-types.js';
import { sum, Tally } from './tally.js';

/** A question of which the log hides a part, or the decision. */
export interface HiddenQuestion {
  /** The user: a name, undefined if there is none, or `any` of them. */
  readonly user: string | undefined | { readonly any: true };
  /** The roles of the request; undefined if the log hides them. */
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

/** Questions without a decision and their lines, equal ones once. */
export type HiddenRecords = Map<string, { readonly question: HiddenQuestion; readonly record: UndecidedRecord }>;

/** The record of a question without a decision, made if there is none. */
export function recordOf(records: HiddenRecords, question: HiddenQuestion, reason: UndecidedReason): UndecidedRecord {
  const { user, roles, action, resource, mayAllow } = question;
  const key = JSON.stringify([reason, user ?? 0, roles ?? 0, action ?? 0, resource ?? 0, mayAllow]);
  return remember(records, key, () => ({ question, record: newRecord(reason, undefined) })).record;
}

/** Adds the lines of records to other ones. */
export function mergeRecords(into: HiddenRecords, from: HiddenRecords): void {
  for (const { question, record } of from.values()) {
    const { tally, lines } = recordOf(into, question, record.reason);
    tally.merge(record.tally);
    lines.push(...record.lines.slice(0, mostLines - lines.length));
  }
}

/** True if a part of a line is left out, or a field around it. */
const isMasked = (masked: readonly string[], part: string): boolean =>
  masked.some((pointer) => pointer === part || pointer.startsWith(`${part}/`) || part.startsWith(`${pointer}/`));

/** The question of a line that lacks a part of it or its decision, or that failed; undefined if the line has all. */
export function hiddenIn({ subject, action, resource, effect, reason, masked = [] }: DecisionLine) {
  const isHidden = (part: string): boolean => isMasked(masked, part);
  const hasName = subject.user !== undefined;
  const isAny =
    isHidden('/subject/user') || (!hasName && (subject.userHash !== undefined || isHidden('/subject/userHash')));
  const [groups, anAction, aResource] = ['/subject/groups', '/action', '/resource'].map(isHidden);
  const anEffect = isHidden('/effect');
  // For a denial, `enforced` is needed: it says whether the caller was let through.
  const isMissing =
    isAny || groups || anAction || aResource || anEffect || (effect === 'Deny' && isHidden('/enforced'));
  if (!isMissing && reason !== 'failed') return undefined;
  const question: HiddenQuestion = {
    user: isAny ? { any: true } : subject.user,
    roles: groups ? undefined : (subject.groups ?? []),
    action: anAction ? undefined : action,
    resource: aResource ? undefined : resource,
    mayAllow: reason === 'failed' || anEffect || effect === 'Allow',
  };
  return question;
}

/** A record without lines. */
export const newRecord = (reason: UndecidedReason, question: Question | undefined): UndecidedRecord => ({
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
