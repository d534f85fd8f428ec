import { counted } from '../../../base/lib/counted.js';
import { stateOf } from '../../../permissions/read-state.js';
import { leastForQuestions } from '../../../policy/analysis/log/least-privilege.js';
import { readEvaluator } from '../../../policy/analysis/read-evaluator.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print, warn, write } from '../shared/output.js';
import { formatFile } from './format-file.js';
import { formatExtent, formatUndecided } from './format-log.js';
import { readAskedLog } from './log-state.js';
import { warnOfOmitted } from './omitted.js';
import { rulesOf } from './read-log.js';
import { createFile } from './write-file.js';

/** `permissions tighten --log <file>`: a file with the least permissions that a log needs. */
export const tighten: Run = async (context) => {
  const { flags, surroundings } = context;
  // A file without what may not be read would take it away.
  const { questions, state, known } = await readAskedLog(context, false);
  const answer = leastForQuestions(questions, readEvaluator(state, rulesOf(context, state)), flags, known);
  const { users, groups } = state;
  const { text, omitted } = formatFile({ ...stateOf(answer.state), users, groups }, state);
  if (flags.out === undefined) write(surroundings, text);
  else {
    await createFile(flags.out, text);
    print(surroundings, `Wrote ${flags.out}. ${formatExtent(answer.log)}`);
  }
  if (known.users !== undefined && known.users !== 'all') {
    warn(
      surroundings,
      'the bindings of users whom the log does not name were not read: those who have the same roles lose access, too',
    );
  }
  warnOfOmitted(omitted, surroundings);
  for (const line of formatUndecided(answer.undecided, 'all is kept that may have allowed it'))
    warn(surroundings, line);
  if (answer.notGranted.length > 0) {
    warn(
      surroundings,
      `${counted(answer.notGranted.length, 'question')} allowed in the log and not granted: see replay`,
    );
  }
  return exitCodes.done;
};
