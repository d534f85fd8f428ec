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
import type { Flags } from '../shared/flags.js';
import { readFiles } from '../shared/read-files.js';
import { basisOf } from './basis.js';
import { ownersAfter, ownersOf, refuseMissing } from './owners-command.js';
import { readRecordOwners } from './record-file.js';
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
  // Of the files and the last apply.
  known: undefined,
  fidelity: 'fidelity',
  maxWork: 'max-work',
} as const satisfies FlagsOf<PlanOptions>;

/** The users and groups that the files, the flags and the last apply name. */
async function knownOwners(desired: Permissions, context: Context): Promise<Owners> {
  const { flags } = context;
  const { users, groups } = await ownersOf(desired, flags);
  const recorded = flags.record === undefined ? undefined : await readRecordOwners(flags.record);
  if (flags.record !== undefined && recorded === undefined) refuseMissing(flags.record, flags);
  // On demand, because few plans are compared with an old version.
  const before = flags.before === undefined ? undefined : await (await import('./read-before.js')).readBefore(context);
  const all = (names: readonly string[], kind: keyof Owners) => [
    ...new Set([...names, ...(recorded?.[kind] ?? []), ...(before?.[kind] ?? [])]),
  ];
  return { users: all(users, 'users').sort(), groups: all(groups, 'groups').sort() };
}

/** Makes the plan that turns a deployment into the content of the file. */
export async function makePlan(
  desired: Permissions,
  deployment: ConnectedDeployment,
  context: Context,
): Promise<MadePlan> {
  const { flags, surroundings } = context;
  const owners = await knownOwners(desired, context);
  const current = await deployment.readState(owners);
  const caller = await readCaller(deployment.client, { signal: surroundings.signal });
  const options = { ...readOptions(flags, planFlags), caller, known: owners };
  return { plan: plan(current, desired, options), current, owners };
}

/** Tells if a plan has something to list that makes the exit code 2. */
export const isEventful = ({ changes, operator, orphaned }: Plan, { 'allow-orphans': isAllowed }: Flags): boolean =>
  changes.length + operator.changes.length > 0 || (!isAllowed && orphaned.length > 0);

/** The content of a plan that was made now for the deployment of this URL. */
export function contentOf({ plan, current }: MadePlan, url: string): PlanContent {
  const { users: usersAfter, groups: groupsAfter } = ownersAfter(current, plan);
  return { url, madeAt: new Date().toISOString(), plan, basis: basisOf(current, plan), usersAfter, groupsAfter };
}
