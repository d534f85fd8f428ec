import { exportPermissions } from '../../permissions/index.js';
import { exitCodes } from '../exit-codes.js';
import { connect } from './connect.js';
import type { Run } from './context.js';
import { warnOfOmitted, warnOfUsers } from './omitted.js';
import { usersOf } from './users.js';
import { createFile } from './write-file.js';

/** `permissions export`: a file with what a deployment has. */
export const exportFile: Run = async (context) => {
  const { flags, operands, surroundings } = context;
  const [file] = operands;
  const users = await usersOf({ users: [] }, flags);
  await using deployment = await connect(context);
  const state = await deployment.readState(users);
  const isJson = flags.json === true || file?.endsWith('.json') === true;
  const { text, omitted } = exportPermissions(state, { as: isJson ? 'json' : 'yaml' });
  if (file === undefined) surroundings.stdout.write(text);
  else await createFile(file, text);
  warnOfUsers(state.users, surroundings);
  warnOfOmitted(omitted, surroundings);
  return exitCodes.done;
};
