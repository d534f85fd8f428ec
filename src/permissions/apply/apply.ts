import { readArgument, readFields } from '../../base/lib/readers.js';
import { readClient } from '../model/read-argument.js';
import type { Plan } from '../plan/plan.js';
import type { PermissionsClient } from '../read-state.js';
import { type Applied, type ApplyOptions, readApplyOptions } from './apply-options.js';
import { ApplyRun } from './apply-run.js';

/**
 * Makes the calls of a plan. Each item is read again right before it is written: if it differs from what the plan
 * expects, `apply` stops. After a crash it is safe to apply the same plan again: calls that were already made are
 * skipped. Without a `record` that is judged by the items, so a call that another writer has undone is made again.
 *
 * Before the first call it reads the permissions of the owner of the client's token. A plan is refused if this caller
 * may not make all of its calls or would lose management permissions, unless `allowSelfLockout` is true. A plan is also
 * refused if it overwrites items that `manage` of their file does not own, unless `takeOver` is true.
 *
 * The services have no conditional writes, so a write by another writer between reading and writing an item is
 * detected only afterwards. After the last call all written items are read again; those that another writer has
 * overwritten are reported, and those that were written right after the write of another, by the services' indexes.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
 * @throws ApplyError (code `APPLY`), which lists the calls made; `cause` is the failure of a call or the reason of
 *   `signal`, and `conflicts` has the items that another writer changed. `own` has the
 *   permissions that are missing or lost if the plan was refused.
 *
 * @example
 * ```ts
 * import { apply, plan, readState } from 'arango-services/permissions';
 *
 * const users = ['alice'];
 * const current = await readState(client, { users });
 * const desired = { ...current, policies: new Map([...current.policies, ['none', { statements: [] }]]) };
 * const { wrote } = await apply(client, plan(current, desired), { settleMs: 0 });
 * console.log(wrote);
 * ```
 */
export async function apply(client: PermissionsClient, plan: Plan, options: ApplyOptions = {}): Promise<Applied> {
  readArgument(client, 'client', readClient);
  return new ApplyRun(client, plan, readFields(options, 'options', readApplyOptions)).run();
}
