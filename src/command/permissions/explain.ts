import { explainAccess, formatExplainedAccess } from '../../permissions/index.js';
import { exitCodes } from '../exit-codes.js';
import { readAsked } from './ask.js';
import type { Run } from './context.js';
import { print } from './output.js';

/** `permissions explain`: if and why a user may do something. */
export const explain: Run = async (context) => {
  const { flags, operands, surroundings } = context;
  const [user = '', action = '', resource = ''] = operands;
  const state = await readAsked(context, () => [user]);
  const explained = explainAccess(state, { user, action, resource }, { fidelity: flags.fidelity });
  print(surroundings, formatExplainedAccess(explained, flags.json ? 'json' : 'text'));
  return exitCodes.done;
};
