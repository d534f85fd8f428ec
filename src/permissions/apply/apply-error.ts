import { ArangoServicesError, isArangoServicesError } from '../../base/arango-services-error.js';
import { printable } from '../../base/lib/text/printable.js';
import { describeItem, type PlanChange, type PlanStep } from '../model/plan-change.js';
import { shorten } from '../model/writable.js';
import type { OwnAccess } from '../plan/own-access.js';
import type { Plan } from '../plan/plan.js';

/** The items of these steps, without duplicates. */
const namesOf = (steps: readonly PlanStep[], { changes }: Plan): readonly string[] =>
  [...new Set(steps.map(({ change }) => change))].flatMap((at) => {
    const change = changes[at];
    return change ? describeItem(change) : [];
  });

/**
 * A plan was not applied completely. Code `APPLY`. Applying the plan again continues where it stopped, unless another
 * writer changed an item.
 */
export class ApplyError extends ArangoServicesError<'APPLY'> {
  /** The items that another writer changed. */
  declare readonly conflicts: readonly PlanChange[];
  /** The calls that this run made. */
  declare readonly done: readonly PlanStep[];
  /** The calls of this run that may have taken effect: no response arrived. */
  declare readonly unanswered: readonly PlanStep[];
  /** The permissions of the caller, if the plan was refused because of them. */
  declare readonly own: OwnAccess | undefined;

  constructor(
    problems: readonly string[],
    stopped: Pick<ApplyError, 'conflicts' | 'done' | 'unanswered'> & {
      readonly plan: Plan;
      readonly own?: OwnAccess | undefined;
    },
    cause?: unknown,
  ) {
    const { plan, done, unanswered, conflicts } = stopped;
    const [written, perhaps] = [namesOf(done, plan), namesOf(unanswered, plan)];
    const outcome = [
      ...(written.length === 0 ? [] : [`written: ${shorten(written).join(', ')}`]),
      ...(perhaps.length === 0 ? [] : [`perhaps written, because there was no answer: ${shorten(perhaps).join(', ')}`]),
    ];
    const parts = [...shorten(problems), ...(outcome.length === 0 ? ['nothing was written'] : outcome)];
    const made = { conflicts, done: [...done], unanswered: [...unanswered], own: stopped.own };
    super('ApplyError', 'APPLY', printable(parts.join('; ')), {}, made, cause === undefined ? {} : { cause });
  }
}

/**
 * Tells whether an error is an {@link ApplyError}: a plan was not applied completely.
 *
 * @example
 * ```ts
 * import { apply, isApplyError, plan, readState } from 'arango-services/permissions';
 *
 * const current = await readState(client, { users: ['alice'] });
 * await apply(client, plan(current, { ...current, bindings: [] })).catch((error: unknown) => {
 *   if (isApplyError(error)) console.log(error.done, error.conflicts);
 *   else throw error;
 * });
 * ```
 */
export const isApplyError = (error: unknown): error is ApplyError =>
  isArangoServicesError(error) && error.code === 'APPLY';
