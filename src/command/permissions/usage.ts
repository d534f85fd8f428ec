import { Reasons } from '../../analysis/log/reasons.js';
import { findUnused } from '../../analysis/log/usage.js';
import { readEvaluator } from '../../analysis/model.js';
import { printable } from '../../lib/printable.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { formatExtent, formatUnused } from './format-log.js';
import { readAskedLog, rulesOf } from './read-log.js';

/** `permissions usage --log <file>`: the parts of the state that decided no question of a log. */
export const listUnused: Run = async (context) => {
  const { flags, surroundings } = context;
  const { questions, state } = await readAskedLog(context);
  const { coverage } = questions;
  const found = findUnused(new Reasons(readEvaluator(state, rulesOf(context, state))), questions.questions);
  const unused = formatUnused(found);
  if (flags.json) print(surroundings, JSON.stringify({ log: coverage, ...found }));
  else {
    const title = unused.length > 0 ? `Decided nothing since ${coverage.firstSeen}:` : 'Every part decided something.';
    for (const line of [formatExtent(coverage), title, ...unused]) print(surroundings, printable(line));
  }
  return unused.length > 0 ? exitCodes.changes : exitCodes.done;
};
