import {
  accepting,
  isWithin,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFlag,
  readFunction,
  wholeNumber,
  withMethods,
} from '../../base/lib/readers.js';
import { longestTimerMs } from '../../base/lib/wait.js';
import type { PlanChange } from '../model/plan-change.js';
import type { ApplyRecord } from './apply-record.js';

/** The progress of `apply`. */
export interface ApplyProgress {
  /** The number of calls that this run made or could skip, because they were already made. */
  readonly done: number;
  /** The number of calls of the plan. */
  readonly total: number;
  /** The change that the last call belongs to. */
  readonly change: PlanChange;
  /** False if the call was skipped, because it was already made. */
  readonly wrote: boolean;
}

/** Options of `apply`. */
export interface ApplyOptions {
  /** The maximum number of concurrent calls inside a stage, default 16. */
  readonly concurrency?: number | undefined;
  /** Milliseconds to wait between stages, so that the services' evaluators read the changes; default 2000. */
  readonly settleMs?: number | undefined;
  /**
   * Applies a plan even if the caller (the owner of the client's token) may not make all of its calls, or loses
   * management permissions by it. Default false.
   */
  readonly allowSelfLockout?: boolean | undefined;
  /**
   * Overwrites items that differ from the file and that the file's `manage` does not own (changes with `outside`).
   * Default false.
   */
  readonly takeOver?: boolean | undefined;
  /**
   * The record of the plan. With it a call that was made is never made again, whatever became of its item; and no call
   * is skipped because an item looks as if it was made. Default: calls whose items look so are skipped.
   */
  readonly record?: ApplyRecord | undefined;
  /** Stops before the next call; calls in flight are completed. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each call. */
  readonly onProgress?: ((progress: ApplyProgress) => void) | undefined;
}

export const readApplyOptions = optionsOf({
  concurrency: wholeNumber('a whole number', 1, Number.MAX_SAFE_INTEGER),
  settleMs: accepting<number>(`milliseconds from 0 to ${longestTimerMs}`, (ms) => isWithin(ms, 0, longestTimerMs)),
  allowSelfLockout: readFlag,
  takeOver: readFlag,
  record: withMethods<ApplyRecord>('a record', 'add'),
  signal: withMethods<AbortSignal>('an AbortSignal', 'addEventListener'),
  onProgress: readFunction as Reader<NonNullable<ApplyOptions['onProgress']>>,
} satisfies ReadersOf<ApplyOptions>);

/** The result of `apply`. */
export interface Applied {
  /** The number of calls that this run made. */
  readonly wrote: number;
  /** The number of calls that were skipped because they were already made. */
  readonly skipped: number;
  /** Changes that only the operator can make: apply the custom resources with kubectl. */
  readonly left: readonly PlanChange[];
  /**
   * The revision of the last write of each kind, which `replica.reached` and `atLeast` of a guard wait for; with them
   * come all earlier writes.
   */
  readonly revisions: readonly string[];
}
