import { counted } from '../../../base/lib/counted.js';
import { parseDuration } from '../../../base/lib/duration.js';
import { timeFault } from '../../../permissions/holds/hold-schema.js';
import { ApplyError, formatPlan, type Hold, plan, readCaller } from '../../../permissions/index.js';
import { locksOut } from '../../../permissions/plan/own-access.js';
import { nameFault } from '../../../policy/model/predefined-names.js';
import { connect } from '../shared/connect-client.js';
import type { Context, Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { HintedError } from '../shared/hinted-error.js';
import { print, printChanges, warn } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { addHold, holdsFileOf } from './holds-file.js';
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

function readHold({ flags, operands }: Context): Hold & { readonly user: string } {
  const { role, until, reason = '' } = flags;
  // There is one: the arguments were counted.
  const [user = ''] = operands;
  for (const [where, name] of [['<user>', user] as const, ...(role ?? []).map((one) => ['--role', one] as const)]) {
    const fault = nameFault(name);
    if (fault !== undefined) refuse(where, fault);
  }
  if (reason.trim() === '') refuse('--reason', 'is missing: the reviewers of the next plan read it');
  return { user, ...(role && { roles: role }), until: readUntil(until), reason };
}

/** The error for bindings of other users that count for this one, too. */
function stillBound(user: string, roles: readonly string[]): string {
  const names = roles.map((role) => JSON.stringify(role)).join(', ');
  const whose = `bindings of users whose names begin with ${JSON.stringify(`${user}:`)}`;
  return `user ${JSON.stringify(user)} still has access by ${whose}, to ${names}: revoke those users, too`;
}

/** `permissions revoke <user>`: writes a hold, and removes the bindings that it holds at once. */
export const revoke: Run = async (context) => {
  const { flags, surroundings } = context;
  const { signal } = surroundings;
  const hold = readHold(context);
  const file = holdsFileOf(flags);
  await using deployment = await connect(context);
  const readBound = () => deployment.readState({ users: [hold.user], groups: [] });
  const state = await readBound();
  const caller = await readCaller(deployment.client, { signal });
  const planWithout = (roles: readonly string[]) => {
    const bound = { ...state, bindings: state.bindings.filter(({ role }) => !roles.includes(role)) };
    return plan(bound, bound, { holds: [hold], caller, fidelity: flags.fidelity });
  };
  const made = planWithout([]);
  if (!flags['allow-self-lockout'] && made.own && made.own.unknown === undefined && locksOut(made.own)) {
    printChanges(surroundings, formatPlan(made));
    throw new Error('refused: you could not undo it (--allow-self-lockout); nothing was written');
  }
  // First, so that a pipeline that runs meanwhile, or after a failure, does not give the access back.
  const { until } = await addHold(file, hold);
  const user = JSON.stringify(hold.user);
  try {
    const options = { settleMs: flags['settle-ms'], allowSelfLockout: flags['allow-self-lockout'], signal };
    const isListed = async (role: string) => (await readBound()).bindings.some((binding) => binding.role === role);
    const { wrote, foreign } = await removeHeld(deployment.client, planWithout, isListed, options);
    print(surroundings, `Removed: ${counted(wrote, 'binding')} of user ${user}. Held until ${until}: ${file}`);
    if (foreign.length > 0) throw new Error(stillBound(hold.user, foreign));
  } catch (error) {
    if (!(error instanceof ApplyError)) throw error;
    throw new HintedError(error, `the hold is in ${file}; run it again to remove the remaining bindings`);
  }
  warn(surroundings, `commit ${file}; access by groups of tokens is not revoked, see the guide`);
  return exitCodes.done;
};
