import { counted } from '../../../base/lib/counted.js';
import { printable } from '../../../base/lib/text/printable.js';
import type { Replay, ReplayChange } from '../../../policy/analysis/index.js';
import { replayQuestions } from '../../../policy/analysis/log/replay.js';
import { readEvaluator } from '../../../policy/analysis/read-evaluator.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { formatCause, formatErrors, formatExtent, formatSubject, formatUndecided } from './format-log.js';
import { readAskedLog } from './log-state.js';
import { rulesOf } from './read-log.js';

/** The most groups of each kind that are printed. */
const mostGroups = 100;

function formatChange(sign: string, { groups }: ReplayChange): string[] {
  const lines = groups.slice(0, mostGroups).map(({ subject, cause, count, lastSeen, questions }) => {
    const [first] = questions;
    const more = questions.length > 1 ? ` and ${questions.length - 1} more` : '';
    const question = `${JSON.stringify(first?.action)} on ${JSON.stringify(first?.resource)}${more}`;
    const seen = `${counted(count, 'time')}, last ${lastSeen}`;
    return printable(`${sign} ${formatSubject(subject)}: ${question}, ${seen} – ${formatCause(cause)}`);
  });
  const rest = groups.length - lines.length;
  return rest > 0 ? [...lines, `${sign} ${rest} more groups: see --json`] : lines;
}

/** Formats a replay: the number of decisions that flip, then who is affected. */
export function formatReplay({ log, gained, revoked, error, undecided }: Replay): string {
  const flipped = gained.count + revoked.count;
  const errors = error.count > 0 ? [`${error.count} decisions cannot be replayed (${formatErrors(error)}).`] : [];
  return [
    `Of ${log.count} logged decisions ${flipped} flip: ${revoked.count} would be denied, ${gained.count} allowed.`,
    formatExtent(log),
    ...errors,
    ...formatUndecided(undecided, 'they are not compared'),
    ...formatChange('-', revoked),
    ...formatChange('+', gained),
  ].join('\n');
}

/** `permissions replay --log <file>`: the decisions of a log that the state would make otherwise. */
export const replayLog: RunSubcommand = async (context) => {
  const { questions, state, known } = await readAskedLog(context);
  const answer = replayQuestions(questions, readEvaluator(state, rulesOf(context, state)), undefined, known);
  print(context.surroundings, context.flags.json ? JSON.stringify(answer) : formatReplay(answer));
  const { gained, revoked, undecided } = answer;
  return gained.count + revoked.count + undecided.count > 0 ? exitCodes.changes : exitCodes.done;
};
