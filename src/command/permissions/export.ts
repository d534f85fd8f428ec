import {
  type ExportedResources,
  exportCustomResources,
  exportPermissions,
  type PermissionsState,
} from '../../permissions/index.js';
import { deploymentFault } from '../../permissions/resources/resource-checks.js';
import { connect } from '../shared/connect.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import type { Flags } from '../shared/flags.js';
import { warn } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { warnOfOmitted, warnOfUsers } from './omitted.js';
import { usersOf } from './users.js';
import { createFile } from './write-file.js';

/** Writes a state as the flags ask: as a file of permissions, or as custom resources for a deployment. */
function writeState(state: PermissionsState, { deployment, json }: Flags, file: string | undefined): ExportedResources {
  if (deployment === undefined) {
    const isJson = json === true || file?.endsWith('.json') === true;
    return { ...exportPermissions(state, { as: isJson ? 'json' : 'yaml' }), renamed: [] };
  }
  const parts = deployment.split('/');
  return exportCustomResources(state, { deployment: parts.at(-1) ?? '', namespace: parts.at(-2) });
}

/** Refuses a deployment that custom resources cannot name, before anything is sent. */
function checkDeployment(deployment: string | undefined): void {
  if (deployment === undefined) return;
  const parts = deployment.split('/');
  const fault = parts.length > 2 ? 'expected [namespace/]name' : parts.map(deploymentFault).find((one) => one);
  if (fault !== undefined) throw new UsageError({ where: '--deployment', message: fault });
}

/** `permissions export`: a file with what a deployment has. */
export const exportFile: Run = async (context) => {
  const { flags, operands, surroundings } = context;
  const [file] = operands;
  if (flags.deployment !== undefined && (flags.json || file?.endsWith('.json'))) {
    throw new UsageError({ where: '--deployment', message: 'writes YAML, not JSON' });
  }
  checkDeployment(flags.deployment);
  const users = await usersOf({ users: [] }, flags);
  await using deployment = await connect(context);
  const state = await deployment.readState(users);
  const { text, renamed, omitted } = writeState(state, flags, file);
  if (file === undefined) surroundings.stdout.write(text);
  else await createFile(file, text);
  warnOfUsers(state.users, surroundings);
  warnOfOmitted(omitted, surroundings);
  for (const { from, to } of renamed)
    warn(surroundings, `policy ${JSON.stringify(from)} becomes ${JSON.stringify(to)}`);
  return exitCodes.done;
};
