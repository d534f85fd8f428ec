import {
  type ExportedResources,
  exportCustomResources,
  exportPermissions,
  type PermissionsState,
} from '../../../permissions/index.js';
import { connect } from '../shared/connect-client.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import type { Flags } from '../shared/flags.js';
import { warn, write } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { exportFolder, readDeployment } from './folder.js';
import { warnOfOmitted, warnOfUsers } from './omitted.js';
import { ownersOf } from './owners-command.js';
import { createFile } from './write-file.js';

/** Writes a state as the flags ask: as a file of permissions, or as custom resources for a deployment. */
function writeState(state: PermissionsState, { deployment, json }: Flags, file: string | undefined): ExportedResources {
  if (deployment !== undefined) return exportCustomResources(state, readDeployment(deployment));
  const isJson = json === true || file?.endsWith('.json') === true;
  return { ...exportPermissions(state, { as: isJson ? 'json' : 'yaml' }), renamed: [] };
}

/** `permissions export`: a file with what a deployment has, or the custom resources of a file. */
export const exportFile: RunSubcommand = async (context) => {
  const { flags, operands, surroundings } = context;
  const [file] = operands;
  if (flags.from !== undefined) return exportFolder(context);
  if (flags.out !== undefined)
    throw new UsageError({ where: '--out', message: 'is for --from; name the file instead' });
  if (flags.deployment !== undefined && (flags.json || file?.endsWith('.json'))) {
    throw new UsageError({ where: '--deployment', message: 'writes YAML, not JSON' });
  }
  // Before anything is sent.
  if (flags.deployment !== undefined) readDeployment(flags.deployment);
  const owners = await ownersOf({}, flags);
  await using deployment = await connect(context);
  const state = await deployment.readState(owners);
  const { text, renamed, omitted } = writeState(state, flags, file);
  if (file === undefined) write(surroundings, text);
  else await createFile(file, text);
  warnOfUsers(state.users, surroundings);
  warnOfOmitted(omitted, surroundings);
  for (const { from, to } of renamed)
    warn(surroundings, `policy ${JSON.stringify(from)} becomes ${JSON.stringify(to)}`);
  return exitCodes.done;
};
