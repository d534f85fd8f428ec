import type { PermissionsState } from '../../../permissions/index.js';
import { connect } from '../shared/connect.js';
import type { Context } from '../shared/context.js';
import { connecting } from '../shared/flags.js';
import { readDesired } from './make-plan.js';

/**
 * Reads the state that a question is about: of a deployment if a flag names one, else of the file.
 * @param usersOf returns the users whose bindings are read from a deployment.
 * @param allowUnread true to leave out what the token may not read.
 */
export async function readAsked(
  context: Context,
  usersOf: () => readonly string[] | Promise<readonly string[]>,
  allowUnread = false,
): Promise<PermissionsState> {
  const { flags } = context;
  if (connecting.every((name) => flags[name] === undefined)) return readDesired(context);
  const users = await usersOf();
  await using deployment = await connect(context);
  // Awaited here: the deployment is closed at the end.
  return await deployment.readAsked(users, allowUnread);
}
