import { answerWhoCan, formatWhoCan, type WhoCanOptions } from '../../../permissions/index.js';
import { resourceFault } from '../../../policy/model/pattern.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { type FlagsOf, readOptions } from '../shared/flag-options.js';
import { print } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { readAsked } from './ask-command.js';
import { warnOfUsers } from './omitted.js';
import { readKnownOwners } from './owners-command.js';

/** The flags of the options of `answerWhoCan`. */
const whoFlags = {
  match: 'match',
  byMinting: 'by-minting',
  fidelity: 'fidelity',
  // A single question stays far below the limit.
  maxWork: undefined,
} as const satisfies FlagsOf<WhoCanOptions>;

/** `permissions who`: the users, and roles of requests, that may do something. */
export const who: RunSubcommand = async (context) => {
  const { flags, operands, surroundings } = context;
  const [action = '', resource = ''] = operands;
  for (const [where, pattern] of [['<action>', action] as const, ['<resource>', resource] as const]) {
    const message = resourceFault(pattern, true);
    if (message !== undefined) throw new UsageError({ where, message });
  }
  const state = await readAsked(context, () => readKnownOwners(context));
  const answer = answerWhoCan(state, { action, resource }, readOptions(flags, whoFlags));
  print(surroundings, formatWhoCan(answer, flags.json ? 'json' : 'text', { all: flags.all }));
  if (answer.known.length === 0) warnOfUsers([], surroundings);
  return exitCodes.done;
};
