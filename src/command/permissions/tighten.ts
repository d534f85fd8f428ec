import { leastForQuestions } from '../../analysis/log/least-privilege.js';
import { readEvaluator } from '../../analysis/model.js';
import { counted } from '../../lib/counted.js';
import { stateOf } from '../../permissions/read-state.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print, warn } from '../shared/output.js';
import { formatFile } from './format-file.js';
import { formatExtent } from './format-log.js';
import { warnOfOmitted } from './omitted.js';
import { readAskedLog, rulesOf } from './read-log.js';
import { createFile } from './write-file.js';

/** `permissions tighten --log <file>`: a file with the least permissions that a log needs. */
export const tighten: Run = async (context) => {
  const { flags, surroundings } = context;
  const { questions, state } = await readAskedLog(context);
  const answer = leastForQuestions(questions, readEvaluator(state, rulesOf(context, state)), flags.generalise);
  const { text, omitted } = formatFile({ ...stateOf(answer.state), users: state.users }, state);
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
