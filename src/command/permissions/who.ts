import { findHolders, formatHolders } from '../../permissions/index.js';
import { resourceFault } from '../../policy/pattern.js';
import { exitCodes } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import { readAsked } from './ask.js';
import type { Run } from './context.js';
import { warnOfUsers } from './omitted.js';
import { print } from './output.js';
import { readFiles } from './read-files.js';
import { usersOf } from './users.js';

/** `permissions who`: the users, and roles of requests, that may do something. */
export const who: Run = async (context) => {
  const { flags, operands, surroundings } = context;
  const [action = '', resource = ''] = operands;
  const { file, match, fidelity } = flags;
  for (const [where, pattern] of [['<action>', action] as const, ['<resource>', resource] as const]) {
    const message = resourceFault(pattern, true);
    if (message !== undefined) throw new UsageError({ where, message });
  }
  const state = await readAsked(context, async () =>
    usersOf(file === undefined ? { users: [] } : await readFiles(file, flags), flags),
  );
  const found = findHolders(state, { action, resource }, { match, fidelity });
  print(surroundings, formatHolders(found, flags.json ? 'json' : 'text'));
  if (found.known.length === 0) warnOfUsers([], surroundings);
  return exitCodes.done;
};
