import { type Permissions, type PermissionsState, type Plan, plan } from '../../permissions/index.js';
import type { Deployment } from './connect.js';
import type { Flags } from './flags.js';
import { readFiles } from './read-files.js';
import { usersOf } from './users.js';

/** A plan, and the state that it was made from. */
export interface MadePlan {
  readonly plan: Plan;
  readonly current: PermissionsState;
  /** The users whose bindings were asked for. */
  readonly users: readonly string[];
}

/** The file of permissions if no flag names one. */
export const defaultFile = 'permissions.yaml';

/** Reads the file that the flags name, or `permissions.yaml`. */
export const readDesired = (flags: Flags): Promise<Permissions> => readFiles(flags.file ?? defaultFile, flags);

/** Makes the plan that turns a deployment into the content of the file. */
export async function makePlan(desired: Permissions, deployment: Deployment, flags: Flags): Promise<MadePlan> {
  const users = await usersOf(desired, flags);
  const current = await deployment.readState(users);
  const { prune, order, fidelity } = flags;
  return { plan: plan(current, desired, { prune, order, fidelity }), current, users };
}
