import { leastPrivilege } from '../../analysis/index.js';
import { counted } from '../../lib/counted.js';
import { exportPermissions, type Permissions, type PermissionsState } from '../../permissions/index.js';
import { stateOf } from '../../permissions/read-state.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print, warn } from '../shared/output.js';
import { formatExtent } from './format-log.js';
import { warnOfOmitted } from './omitted.js';
import { askLog, rulesOf } from './read-log.js';
import { createFile } from './write-file.js';

/** The names that the file owns, so that a plan finds what is not in the new file; none of a deployment. */
function manageOf(state: PermissionsState & Partial<Pick<Permissions, 'manage'>>): string {
  const { manage } = state;
  const isOwner = manage !== undefined && Object.values(manage).some((names) => names.length > 0);
  return isOwner ? `manage: ${JSON.stringify(manage)}\n` : '';
}

/** `permissions tighten --log <file>`: a file with the least permissions that a log needs. */
export const tighten: Run = async (context) => {
  const { flags, surroundings } = context;
  const { answer, state } = await askLog(context, (log, given) =>
    leastPrivilege(log, given, { ...rulesOf(context, given), generalise: flags.generalise }),
  );
  const { text: items, omitted } = exportPermissions({ ...stateOf(answer.state), users: state.users });
  const text = `${items}${manageOf(state)}`;
  if (flags.out === undefined) surroundings.stdout.write(text);
  else {
    await createFile(flags.out, text);
    print(surroundings, `Wrote ${flags.out}. ${formatExtent(answer.log)}`);
  }
  warnOfOmitted(omitted, surroundings);
  if (answer.notGranted.length > 0) {
    warn(
      surroundings,
      `${counted(answer.notGranted.length, 'question')} allowed in the log and not granted: see replay`,
    );
  }
  return exitCodes.done;
};
