import { counted } from '../../../base/lib/counted.js';
import { parseDuration } from '../../../base/lib/duration.js';
import { timeFault } from '../../../permissions/holds/hold-schema.js';
import { ApplyError, formatPlan, type Hold, plan, readCaller } from '../../../permissions/index.js';
import {
  type AnyBinding,
  allBindings,
  type BindingItemOwner,
  describeOwner,
} from '../../../permissions/model/plan-change.js';
import { locksOut } from '../../../permissions/plan/own-access.js';
import { nameFault } from '../../../policy/model/predefined-names.js';
import { connect } from '../shared/connect-client.js';
import type { Context, RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { HintedError } from '../shared/hinted-error.js';
import { print, printChanges, warn } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { addHold, holdsFilesOf } from './holds-file.js';
import { removeHeld } from './remove-held.js';

const refuse = (where: string, message: string): never => {
  throw new UsageError({ where, message });
};

/** Reads the end of a hold: a time with its zone, or a duration from now. */
function readUntil(text: string | undefined): string {
  const expected = 'expected a duration like "8h", or a time with its zone like "2026-12-01T08:00:00Z"';
  if (text === undefined) return refuse('--until', `is missing: ${expected}`);
  const ms = parseDuration(text);
  const at = ms === undefined && timeFault(text) === undefined ? Date.parse(text) : Date.now() + (ms ?? Number.NaN);
  // A file of holds has years of four digits. The time of a wrong text is not below any.
  if (!(at < Date.UTC(10_000, 0))) return refuse('--until', expected);
  return at > Date.now() ? new Date(at).toISOString().replace('.000Z', 'Z') : refuse('--until', 'has passed');
}

/** Reads whose bindings are removed: a user, or the group of the flag. */
function readOwner({ flags: { group }, operands: [user] }: Context): BindingItemOwner {
  if ((user === undefined) === (group === undefined)) refuse('arguments', 'expected <user>, or --group <name>');
  const fault = nameFault(user ?? group ?? '');
  if (fault !== undefined) refuse(group === undefined ? '<user>' : '--group', fault);
  // The cast: there is one of the two.
  return (group === undefined ? { user } : { group }) as BindingItemOwner;
}

function readHold(context: Context): Hold & BindingItemOwner {
  const { role, until, reason = '' } = context.flags;
  const owner = readOwner(context);
  const fault = role?.map(nameFault).find((problem) => problem !== undefined);
  if (fault !== undefined) refuse('--role', fault);
  if (reason.trim() === '') refuse('--reason', 'is missing: the reviewers of the next plan read it');
  return { ...owner, ...(role && { roles: role }), until: readUntil(until), reason };
}

/** The error for bindings of other users, or groups, that count for this one, too. */
function stillBound(owner: BindingItemOwner, roles: readonly string[]): string {
  const names = roles.map((role) => JSON.stringify(role)).join(', ');
  const kinds = owner.group === undefined ? 'users' : 'groups';
  const whose = `bindings of ${kinds} whose names begin with ${JSON.stringify(`${owner.group ?? owner.user}:`)}`;
  return `${describeOwner(owner)} still has access by ${whose}, to ${names}: revoke those ${kinds}, too`;
}

/** `permissions revoke [user]`: writes a hold, and removes the bindings that it holds at once. */
export const revoke: RunSubcommand = async (context) => {
  const { flags, surroundings } = context;
  const { signal } = surroundings;
  const hold = readHold(context);
  const [file] = holdsFilesOf(flags);
  await using deployment = await connect(context);
  const { user, group } = hold;
  const owners = { users: user === undefined ? [] : [user], groups: group === undefined ? [] : [group] };
  const readBound = () => deployment.readState(owners);
  const state = await readBound();
  const caller = await readCaller(deployment.client, { signal });
  const planWithout = (roles: readonly string[]) => {
    const isLeft = ({ role }: AnyBinding) => !roles.includes(role);
    const groupBindings = state.groupBindings?.filter(isLeft);
    const bound = { ...state, bindings: state.bindings.filter(isLeft), groupBindings };
    return plan(bound, bound, { holds: [hold], caller, fidelity: flags.fidelity });
  };
  const made = planWithout([]);
  if (!flags['allow-self-lockout'] && made.own && made.own.unknown === undefined && locksOut(made.own)) {
    printChanges(surroundings, formatPlan(made));
    throw new Error('refused: you could not undo it (--allow-self-lockout); nothing was written');
  }
  // First, so that a pipeline that runs meanwhile, or after a failure, does not give the access back.
  const { until } = await addHold(file, hold);
  try {
    const options = { settleMs: flags['settle-ms'], allowSelfLockout: flags['allow-self-lockout'], signal };
    const isListed = async (role: string) => allBindings(await readBound()).some((binding) => binding.role === role);
    const { wrote, foreign } = await removeHeld(deployment.client, planWithout, isListed, options);
    const removed = `${counted(wrote, 'binding')} of ${describeOwner(hold)}`;
    print(surroundings, `Removed: ${removed}. Held until ${until}: ${file}`);
    // Warns of a possibly misspelled name; a repeated revocation gets the warning, too.
    if (wrote === 0 && foreign.length === 0)
      warn(surroundings, `nothing was bound: make sure that this ${group === undefined ? 'user' : 'group'} is meant`);
    if (foreign.length > 0) throw new Error(stillBound(hold, foreign));
  } catch (error) {
    if (!(error instanceof ApplyError)) throw error;
    throw new HintedError(error, `the hold is in ${file}; run it again to remove the remaining bindings`);
  }
  const hint = group === undefined ? '; access by groups of tokens is not revoked, see the guide' : '';
  warn(surroundings, `commit ${file}${hint}`);
  return exitCodes.done;
};
