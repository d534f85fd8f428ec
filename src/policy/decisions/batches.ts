import { hasMethod } from '../../base/lib/values.js';
import type { HiddenDecision, SkipReason } from './line-reading.js';
import type { LoggedDecision } from './logged-decision.js';

/** The method of a log that yields its decisions in batches: a promise for each one costs more than reading it. */
export const batches: unique symbol = Symbol('batches');

/** The reason for which nothing is known of a line that may hold a decision, or stands for some that were `dropped`. */
export type UnreadReason = (typeof unreadReasons)[number] | 'dropped';
const unreadReasons = ['incomplete', 'too-long', 'not-utf8', 'damaged', 'invalid', 'other-version'] as const;
const isUnread: ReadonlySet<string> = new Set(unreadReasons);

/** Narrows the reason for which a line without a question is skipped. */
export const mayDecide = (reason: SkipReason): reason is SkipReason & UnreadReason => isUnread.has(reason);

/** A line with a question without its decision, or with decisions of which nothing is known. Only batches have them. */
export type HiddenLine = { readonly line: number; readonly hidden: HiddenDecision | UnreadReason };

export const isHidden = (item: object): item is HiddenLine => 'hidden' in item;

type Batches = AsyncIterable<Iterable<LoggedDecision | HiddenLine>>;

/** A log that can be read in batches. */
export type BatchedLog = { [batches](): Batches };

/** The batches of a log, instead of its decisions one by one; undefined if it has none. */
export const batchesOf = (log: object): Batches | undefined =>
  // The cast: only a log with batches has this method.
  hasMethod(log, batches) ? (log as BatchedLog)[batches]() : undefined;
