import { counted } from '../../../base/lib/counted.js';
import { stateOf } from '../../../permissions/model/permissions-state.js';
import { describeItem } from '../../../permissions/model/plan-change.js';
import { signs } from '../../../permissions/plan/format-changes.js';
import { leastForQuestions } from '../../../policy/analysis/log/least-privilege.js';
import { readEvaluator } from '../../../policy/analysis/read-evaluator.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print, warn, write } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { formatFile } from './format-file.js';
import { formatExtent, formatUndecided } from './format-log.js';
import { readAskedLog } from './log-state.js';
import { warnOfOmitted } from './omitted.js';
import { rulesOf } from './read-log.js';
import { describeWritten, isEdited, writeProposal } from './write-proposal.js';

/** `permissions tighten --log <file>`: a file with the least permissions that a log needs. */
export const tighten: RunSubcommand = async (context) => {
  const { flags, surroundings } = context;
  const isInPlace = await isEdited(context);
  // Fails for what may not be read: a file without it would take it away.
  const { questions, state, known } = await readAskedLog(context, false);
  const answer = leastForQuestions(questions, readEvaluator(state, rulesOf(context, state)), flags, known);
  if (flags.out !== undefined && answer.log.firstSeen === undefined) {
    const message = 'has no decision with a question, so almost every right would be taken away: give another log';
    throw new UsageError({ where: '--log', message });
  }
  const { users, groups } = state;
  const desired = { ...stateOf(answer.state), users, groups };
  const written =
    flags.out === undefined
      ? formatFile(desired, state)
      : await writeProposal(context, flags.out, { isInPlace, desired, source: state });
  if ('text' in written) write(surroundings, written.text);
  else {
    for (const item of written.edited ?? []) print(surroundings, `${signs[item.action]} ${describeItem(item)}`);
    print(surroundings, `${describeWritten(written, flags.out ?? '')} ${formatExtent(answer.log)}`);
  }
  if (known.users !== undefined && known.users !== 'all') {
    warn(
      surroundings,
      'the bindings of users whom the log does not name were not read: those who have the same roles lose access, too',
    );
  }
  warnOfOmitted(written.omitted, surroundings);
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
