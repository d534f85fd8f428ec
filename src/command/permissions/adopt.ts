import { describeItem } from '../../permissions/change.js';
import { adoptPermissions } from '../../permissions/index.js';
import { exitCodes } from '../exit-codes.js';
import { connect } from './connect.js';
import type { Run } from './context.js';
import { defaultFile } from './make-plan.js';
import { warnOfOmitted, warnOfUsers } from './omitted.js';
import { print } from './output.js';
import { fromDisk, readFiles, reading } from './read-files.js';
import { usersOf } from './users.js';
import { replaceFile } from './write-file.js';

/** `permissions adopt`: adds to the file the items of a deployment that it neither has nor owns. */
export const adopt: Run = async (context) => {
  const { flags, surroundings } = context;
  const { file = defaultFile } = flags;
  const users = await usersOf(await readFiles(file, flags), flags);
  await using deployment = await connect(context);
  const state = await deployment.readState(users);
  const { text, added, omitted } = await reading(file, adoptPermissions(file, state, fromDisk));
  if (added.length > 0) await replaceFile(file, text);
  if (flags.json) print(surroundings, JSON.stringify({ added, omitted, users: state.users }));
  else for (const line of added.map((item) => `+ ${describeItem(item)}`)) print(surroundings, line);
  if (!flags.json && added.length === 0) print(surroundings, 'Nothing to adopt.');
  warnOfUsers(state.users, surroundings);
  warnOfOmitted(omitted, surroundings);
  return exitCodes.done;
};
