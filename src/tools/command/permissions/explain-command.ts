import { explainAccess, formatExplainedAccess } from '../../../permissions/index.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { readAskedOf } from './ask-command.js';

/** `permissions explain`: if and why a user may do something. */
export const explain: RunSubcommand = async (context) => {
  const { flags, operands, surroundings } = context;
  const [user = '', action = '', resource = ''] = operands;
  const state = await readAskedOf(user, context);
  const explained = explainAccess(
    state,
    { user, groups: flags.groups, action, resource },
    { fidelity: flags.fidelity },
  );
  print(surroundings, formatExplainedAccess(explained, flags.json ? 'json' : 'text'));
  const isDenied = flags['exit-code'] === true && !explained.explanation.decision.allowed;
  return isDenied ? exitCodes.changes : exitCodes.done;
};
