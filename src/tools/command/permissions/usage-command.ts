import { printable } from '../../../base/lib/text/printable.js';
import { usageOfQuestions } from '../../../policy/analysis/log/usage.js';
import { readEvaluator } from '../../../policy/analysis/read-evaluator.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { formatExtent, formatUndecided, formatUnused } from './format-log.js';
import { readAskedLog } from './log-state.js';
import { rulesOf } from './read-log.js';

/** `permissions usage --log <file>`: the parts of the state that decided no question of a log. */
export const listUnused: RunSubcommand = async (context) => {
  const { flags, surroundings } = context;
  const { questions, state, known } = await readAskedLog(context);
  const { log, undecided, ...parts } = usageOfQuestions(
    questions,
    readEvaluator(state, rulesOf(context, state)),
    known,
  );
  const unused = formatUnused(parts);
  if (flags.json) print(surroundings, JSON.stringify({ log, ...parts, undecided }));
  else {
    const notes = formatUndecided(undecided, 'nothing is listed that may have decided');
    const every = undecided.count > 0 ? 'Every part decided something, or may have.' : 'Every part decided something.';
    const since = log.firstSeen ?? undecided.firstSeen;
    const title = unused.length > 0 ? `Decided nothing since ${since}:` : every;
    for (const line of [formatExtent(log), ...notes, title, ...unused]) print(surroundings, printable(line));
  }
  return unused.length > 0 ? exitCodes.changes : exitCodes.done;
};
