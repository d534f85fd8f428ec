import { printable } from '../lib/printable.js';
import { type Change, describeItem, type Step } from './change.js';
import type { Plan } from './plan.js';

/** A plan was not applied completely. A further run continues where it stopped, unless there was another writer. */
export class ApplyError extends Error {
  /** Identifies this error if `instanceof` cannot (two copies of the package). */
  readonly code = 'APPLY';
  /** The items that another writer changed. */
  readonly conflicts: readonly Change[];
  /** @internal The problem alone. */
  declare readonly problem: string;
  /** The calls that this run made. */
  readonly done: readonly Step[];

  constructor(message: string, conflicts: readonly Change[], done: readonly Step[], plan: Plan, cause?: unknown) {
    const names = [...new Set(done.map(({ change }) => change))].flatMap((at) => {
      const change = plan.changes[at];
      return change ? [describeItem(change)] : [];
    });
    const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
    const what = names.length === 0 ? 'nothing was written' : `written: ${names.slice(0, 10).join(', ')}${more}`;
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    super(printable(`${message}${why}; ${what}`), cause === undefined ? {} : { cause });
    this.name = 'ApplyError';
    Object.defineProperty(this, 'problem', { value: message });
    this.conflicts = conflicts;
    this.done = [...done];
  }
}
