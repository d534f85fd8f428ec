import { adoptPermissions } from '../../../permissions/index.js';
import { describeItem } from '../../../permissions/model/plan-change.js';
import { connect } from '../shared/connect-client.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { defaultFile, readFiles, reading } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { warnOfOmitted, warnOfUsers } from './omitted.js';
import { ownersOf } from './owners-command.js';
import { replaceFile } from './write-file.js';

const notAFile = 'expected a file, not a pipe: the items are added to it';

/** `permissions adopt`: adds to the file the items of a deployment that it neither has nor owns. */
export const adopt: RunSubcommand = async (context) => {
  const { flags, inputs, surroundings } = context;
  const { file = defaultFile } = flags;
  if (await inputs.isPassing(file)) throw new UsageError({ where: '--file', message: notAFile });
  const files = await readFiles(context, file);
  const owners = await ownersOf(files, flags);
  await using deployment = await connect(context);
  const state = await deployment.readState(owners);
  const { file: _, ...options } = inputs.permissions('--file', file);
  const { text, added, omitted } = await reading(file, adoptPermissions(file, state, options));
  if (added.length > 0) await replaceFile(file, text);
  if (flags.json) print(surroundings, JSON.stringify({ added, omitted, users: state.users }));
  else for (const line of added.map((item) => `+ ${describeItem(item)}`)) print(surroundings, line);
  if (!flags.json && added.length === 0) print(surroundings, 'Nothing to adopt.');
  warnOfUsers(state.users, surroundings);
  warnOfOmitted(omitted, surroundings);
  return exitCodes.done;
};
