import { findGrants, formatGrants } from '../../../permissions/access/find-grants.js';
import { createEvaluator } from '../../../policy/index.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print, warn } from '../shared/output.js';
import { readAskedOf } from './ask-command.js';

/** `permissions grants <user>`: all that a user may do. */
export const grants: RunSubcommand = async (context) => {
  const { flags, operands, surroundings } = context;
  const [user = ''] = operands;
  const state = await readAskedOf(user, context);
  const report = findGrants(state, user, flags.fidelity, flags.groups);
  print(surroundings, flags.json ? JSON.stringify(report) : formatGrants(report));
  const isKnown =
    flags.groups !== undefined || createEvaluator(state, { fidelity: report.fidelity }).bindings(user).length > 0;
  if (isKnown) return exitCodes.done;
  warn(surroundings, `no role is bound to user ${JSON.stringify(user)}`);
  return exitCodes.changes;
};
