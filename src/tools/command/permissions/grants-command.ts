import { findGrants, formatGrants } from '../../../permissions/access/find-grants.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { readAskedOf } from './ask-command.js';

/** `permissions grants <user>`: all that a user may do. */
export const grants: Run = async (context) => {
  const { flags, operands, surroundings } = context;
  const [user = ''] = operands;
  const found = findGrants(await readAskedOf(user, context), user, flags.fidelity, flags.groups);
  print(surroundings, flags.json ? JSON.stringify(found) : formatGrants(found));
  return exitCodes.done;
};
