import {
  type Caller,
  holdsAt,
  type Permissions,
  type PermissionsState,
  type Plan,
  type PlanOptions,
  plan,
  readCaller,
} from '../../../permissions/index.js';
import { isKnownIn } from '../../../permissions/model/known-owners.js';
import { type AnyBinding, allBindings, describeOwner } from '../../../permissions/model/plan-change.js';
import { readCallerAs } from '../../../permissions/read-caller.js';
import { nameFault } from '../../../policy/model/predefined-names.js';
import type { ConnectedDeployment, Owners } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { type FlagsOf, readOptions } from '../shared/flag-options.js';
import type { Flags } from '../shared/flags.js';
import { defaultFile, readFiles } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { basisOf } from './basis.js';
import { holdsFilesOf, readAllHolds } from './holds-file.js';
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

/** Reads the file that the flags name, or `permissions.yaml`. */
export const readDesired = (context: Context): Promise<Permissions> =>
  readFiles(context, context.flags.file ?? defaultFile);

/** The flags of the options of `plan`. */
const planFlags = {
  prune: 'prune',
  // Comes from the file.
  manage: undefined,
  order: 'order',
  // Comes from the token.
  caller: undefined,
  // Comes from the files and the last apply.
  known: undefined,
  holds: undefined,
  before: undefined,
  fidelity: 'fidelity',
  maxWork: 'max-work',
} as const satisfies FlagsOf<PlanOptions>;

/** Knowledge beside the file. */
interface Known {
  /** The users and groups that the files, the flags and the last apply name. */
  readonly owners: Owners;
  /** The old version of the file. */
  readonly before: Permissions | undefined;
  /** The users and groups that had a binding after the last apply. */
  readonly last: Owners;
}

async function readKnown(desired: Permissions, context: Context): Promise<Known> {
  const { flags } = context;
  const last = await ownersOf({}, { ...flags, users: undefined, groups: undefined });
  const recorded = flags.record === undefined ? undefined : await readRecordOwners(flags.record);
  if (flags.record !== undefined && recorded === undefined) refuseMissing(flags.record, flags);
  // On demand, because few plans are compared with an old version.
  const before = flags.before === undefined ? undefined : await (await import('./read-before.js')).readBefore(context);
  const all = (kind: keyof Owners) => {
    const lists = [desired[kind], flags[kind], last[kind], recorded?.[kind], before?.[kind]];
    return [...new Set(lists.flatMap((names) => names ?? []))].sort();
  };
  return { owners: { users: all('users'), groups: all('groups') }, before, last };
}

/**
 * The state that was applied, as far as it is known: the old version of the file, and the bindings of those that had
 * some after the last apply and have none now. Undefined if nothing is known.
 */
function appliedOf(
  current: PermissionsState,
  desired: Permissions,
  { before, last }: Known,
): PermissionsState | undefined {
  const bound = new Set(allBindings(current).map(describeOwner));
  const isLast = isKnownIn(last);
  const isGone = (binding: AnyBinding) => isLast(binding) && !bound.has(describeOwner(binding));
  const [gone, goneGroups] = [desired.bindings.filter(isGone), (desired.groupBindings ?? []).filter(isGone)];
  if (before === undefined && gone.length + goneGroups.length === 0) return undefined;
  return {
    policies: before?.policies ?? new Map(),
    roles: before?.roles ?? new Map(),
    bindings: [...(before?.bindings ?? []), ...gone],
    groupBindings: [...(before?.groupBindings ?? []), ...goneGroups],
    users: 'all',
  };
}

/** Reads who will apply a plan: the user and groups of `--as`, else the owner of the token. */
function readApplying({ client }: ConnectedDeployment, { flags, surroundings: { signal } }: Context): Promise<Caller> {
  if (flags.as === undefined) return readCaller(client, { signal });
  const [user = '', ...groups] = flags.as.split(',');
  const fault = [user, ...groups].map(nameFault).find((text) => text !== undefined);
  if (fault !== undefined)
    throw new UsageError({ where: '--as', message: `expected <user[,group…]>: a name ${fault}` });
  return readCallerAs(client, { user, groups }, { signal });
}

/**
 * Leaves out the permissions that the reading token lacks for the calls of a saved plan, because another token applies
 * it. Permissions that the plan takes away stay.
 */
export const withoutReader = ({ own, ...plan }: Plan): Plan => ({
  ...plan,
  own: own && { ...own, missing: own.missing.filter(({ lostBy }) => lostBy !== undefined) },
});

/** Makes the plan that turns a deployment into the content of the file. */
export async function makePlan(
  desired: Permissions,
  deployment: ConnectedDeployment,
  context: Context,
): Promise<MadePlan> {
  const { flags } = context;
  const sources = await readKnown(desired, context);
  const holds = holdsAt(await readAllHolds(flags));
  const { owners } = sources;
  const current = await deployment.readState(owners);
  const caller = await readApplying(deployment, context);
  const before = appliedOf(current, desired, sources);
  const options = { ...readOptions(flags, planFlags), caller, known: owners, holds, before };
  return { plan: plan(current, desired, options), current, owners };
}

/** Tells if a plan has something to list that makes the exit code 2. */
export const isEventful = ({ changes, operator, orphaned }: Plan, { 'allow-orphans': isAllowed }: Flags): boolean =>
  changes.length + operator.changes.length > 0 || (!isAllowed && orphaned.length > 0);

/** The content of a plan that was made now for the deployment of this URL. */
export function contentOf({ plan, current }: MadePlan, url: string, flags: Flags): PlanContent {
  const { users: usersAfter, groups: groupsAfter } = ownersAfter(current, plan);
  const [holdsFile, holdsBeside] = holdsFilesOf(flags);
  const [madeAt, basis] = [new Date().toISOString(), basisOf(current, plan)];
  return { url, madeAt, plan, basis, usersAfter, groupsAfter, holdsFile, holdsBeside };
}
