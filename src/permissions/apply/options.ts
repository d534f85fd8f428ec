import {
  accepting,
  isWithin,
  optionsOf,
  type ReadersOf,
  readFlag,
  wholeNumber,
  withMethods,
} from '../../lib/readers.js';
import { longestTimerMs } from '../../lib/wait.js';
import type { Change } from '../model/change.js';

/** The progress of `apply`. */
export interface ApplyProgress {
  /** Calls that this run made, or found already made. */
  readonly done: number;
  /** All calls of the plan. */
  readonly total: number;
  /** The change that the last call belongs to. */
  readonly change: Change;
  /** False if the call was found already made. */
  readonly wrote: boolean;
}

/** Options of `apply`. */
export interface ApplyOptions {
  /** Concurrent calls inside a stage, default 16. */
  readonly concurrency?: number | undefined;
  /** Milliseconds to wait between stages, in which the services' evaluators read the changes; default 2000. */
  readonly settleMs?: number | undefined;
  /**
   * Applies a plan even if the caller, the owner of the client's token, cannot finish it or loses permissions to manage
   * permissions by it. Default false.
   */
  readonly allowSelfLockout?: boolean | undefined;
  /**
   * Overwrites items that differ from the file and that `manage` of the file does not own (`outside` of a change).
   * Default false.
   */
  readonly takeOver?: boolean | undefined;
  /** Stops before the next call; those in flight are completed. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each call. */
  readonly onProgress?: ((progress: ApplyProgress) => void) | undefined;
}

/** Reads the options of `apply`. */
export const readApplyOptions = optionsOf({
  concurrency: wholeNumber('a whole number', 1, Number.MAX_SAFE_INTEGER),
  settleMs: accepting<number>(`milliseconds from 0 to ${longestTimerMs}`, (ms) => isWithin(ms, 0, longestTimerMs)),
  allowSelfLockout: readFlag,
  takeOver: readFlag,
  signal: withMethods<AbortSignal>('an AbortSignal', 'addEventListener'),
  onProgress: accepting<NonNullable<ApplyOptions['onProgress']>>('a function', (value) => typeof value === 'function'),
} satisfies ReadersOf<ApplyOptions>);

/** The result of `apply`. */
export interface Applied {
  /** Calls that this run made. */
  readonly wrote: number;
  /** Calls that were found already made. */
  readonly skipped: number;
  /** Changes of custom resources, which belong to the operator: use kubectl. */
  readonly left: readonly Change[];
}
