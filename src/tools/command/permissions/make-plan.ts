import {
  type Permissions,
  type PermissionsState,
  type Plan,
  type PlanOptions,
  plan,
  readCaller,
} from '../../../permissions/index.js';
import type { ConnectedDeployment, Owners } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { type FlagsOf, readOptions } from '../shared/flag-options.js';
import { readFiles } from '../shared/read-files.js';
import { basisOf } from './basis.js';
import { ownersAfter, ownersOf } from './owners-command.js';
import type { PlanContent } from './saved-plan.js';

/** A plan, and the state that it was made from. */
export interface MadePlan {
  readonly plan: Plan;
  readonly current: PermissionsState;
  /** The users and groups whose bindings were asked for. */
  readonly owners: Owners;
}

/** The file of permissions if no flag names one. */
export const defaultFile = 'permissions.yaml';

/** Reads the file that the flags name, or `permissions.yaml`. */
export const readDesired = (context: Context): Promise<Permissions> =>
  readFiles(context, context.flags.file ?? defaultFile);

/** The flags of the options of `plan`. */
const planFlags = {
  prune: 'prune',
  // Of the file.
  manage: undefined,
  order: 'order',
  // Of the token.
  caller: undefined,
  fidelity: 'fidelity',
  maxWork: 'max-work',
} as const satisfies FlagsOf<PlanOptions>;

/** Makes the plan that turns a deployment into the content of the file. */
export async function makePlan(
  desired: Permissions,
  deployment: ConnectedDeployment,
  { flags, surroundings }: Context,
): Promise<MadePlan> {
  const owners = await ownersOf(desired, flags);
  const current = await deployment.readState(owners);
  const caller = await readCaller(deployment.client, { signal: surroundings.signal });
  const options = { ...readOptions(flags, planFlags), caller };
  return { plan: plan(current, desired, options), current, owners };
}

/** The content of a plan that was made now for the deployment of this URL. */
export function contentOf({ plan, current }: MadePlan, url: string): PlanContent {
  const { users: usersAfter, groups: groupsAfter } = ownersAfter(current, plan);
  return { url, madeAt: new Date().toISOString(), plan, basis: basisOf(current, plan), usersAfter, groupsAfter };
}
