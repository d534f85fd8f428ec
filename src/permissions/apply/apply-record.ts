import type { ItemContent, PlanChange, PlanStep } from '../model/plan-change.js';
import { sameContent } from '../model/same-content.js';
import type { Plan } from '../plan/plan.js';

/** A line of the record of a plan: what is known of one of its calls. */
export interface RecordEntry {
  /** The number of the call, from 0, in the order of the plan's stages. */
  readonly call: number;
  /**
   * `begun` before the call is sent; `made` once it was answered; `failed` if it was not made. A call that stays
   * `begun` may have been made.
   */
  readonly state: 'begun' | 'made' | 'failed';
  /** The service's index after a call that was made. */
  readonly index?: number | undefined;
}

/** Keeps what the runs of a plan have done, so that each of its calls is made at most once. */
export interface ApplyRecord {
  /** The entries of earlier runs of the same plan, in their order. */
  readonly entries: readonly RecordEntry[];
  /** Stores an entry. Called before and after each call, and awaited; `apply` stops if it rejects. */
  readonly add: (entry: RecordEntry) => void | Promise<void>;
}

/**
 * The state of each call: `made` once any run has made it, whatever others recorded since. A failure answers one
 * `begun` only: that of another run may still have been made.
 */
export function statesOf(entries: readonly RecordEntry[]): Map<number, RecordEntry> {
  const states = new Map<number, RecordEntry>();
  const unanswered = new Map<number, number>();
  for (const entry of entries) {
    const { call, state } = entry;
    if (state !== 'made' && states.get(call)?.state === 'made') continue;
    const left = Math.max(0, (unanswered.get(call) ?? 0) + (state === 'begun' ? 1 : -1));
    unanswered.set(call, left);
    states.set(call, state === 'failed' && left > 0 ? { call, state: 'begun' } : entry);
  }
  return states;
}

/** True if all calls of a plan were made. */
export const isCompleted = ({ stages }: Plan, entries: readonly RecordEntry[]): boolean => {
  const states = statesOf(entries);
  return stages.flat().every((_, call) => states.get(call)?.state === 'made');
};

/** An item as the calls of a record left it. */
interface Left {
  readonly content: ItemContent;
  /** The service's index of the item; undefined if it is not known. */
  readonly index?: number | undefined;
}

/** The contents that each item of a plan may have now if only the calls of the record have changed it. */
export function expectedItems({ changes, stages }: Plan, entries: readonly RecordEntry[]): readonly Left[][] {
  const states = statesOf(entries);
  const items = changes.map(({ before, index }): Left[] => [{ content: before, index }]);
  for (const [call, { change, content }] of stages.flat().entries()) {
    const { state, index } = states.get(call) ?? {};
    if (state === 'made') items[change] = [{ content, index }];
    else if (state === 'begun') items[change]?.push({ content, index: undefined });
  }
  return items;
}

/** True if an item is as it was left. Bindings have no index that can be read. */
export const isAsLeft = ({ kind }: PlanChange, now: Left, { content, index }: Left): boolean =>
  sameContent(kind, now.content, content) &&
  (content === null || index === undefined || now.index === undefined || now.index === index);

/**
 * Decides if a call that an earlier run began without an answer was made: `made`, `left` (to be made) or `unclear`. If
 * the item has its former content, another writer may have restored it since the call; only an unchanged index rules
 * that out.
 */
export function decideBegun(
  change: PlanChange,
  { content }: PlanStep,
  before: Left,
  now: Left,
): 'made' | 'left' | 'unclear' {
  if (sameContent(change.kind, now.content, content)) return 'made';
  const isUntouched = now.index !== undefined && now.index === before.index && isAsLeft(change, now, before);
  return isUntouched ? 'left' : 'unclear';
}
