import { type DecisionsOfLog, type LogSummary, readDecisions } from '../../decisions/index.js';
import { counted } from '../../lib/counted.js';
import type { PermissionsState } from '../../permissions/index.js';
import type { Context } from '../shared/context.js';
import { warn } from '../shared/output.js';
import { fileProblem } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { readAsked } from './ask.js';
import { readKnownUsers } from './users.js';

/** Warns of the lines that gave no decision, by reason. */
function warnOfSkipped({ skipped, dropped }: LogSummary, { surroundings }: Context): void {
  for (const { reason, count, firstLine } of skipped) {
    warn(surroundings, `${counted(count, 'line')} of the log skipped (${reason}), the first is line ${firstLine}`);
  }
  if (dropped > 0) warn(surroundings, `${counted(dropped, 'decision')} dropped while the log was written`);
}

/**
 * Reads the state that a subcommand is about, and asks it with the log of `--log`.
 * @throws UsageError if the log is missing, cannot be read, or holds no decisions.
 */
export async function askLog<T>(
  context: Context,
  ask: (log: DecisionsOfLog, state: PermissionsState) => Promise<T>,
): Promise<{ readonly answer: T; readonly state: PermissionsState }> {
  const { log } = context.flags;
  if (log === undefined) throw new UsageError({ where: '--log', message: 'is missing: expected a file' });
  const state = await readAsked(context, () => readKnownUsers(context));
  return { answer: await readLog(context, log, (decisions) => ask(decisions, state)), state };
}

/**
 * Asks the decisions of a log.
 * @throws UsageError if it cannot be read, or holds no decisions.
 */
export async function readLog<T>(context: Context, name: string, ask: (log: DecisionsOfLog) => Promise<T>): Promise<T> {
  const log = readDecisions(context.inputs.stream('--log', name));
  let answer: T;
  try {
    answer = await ask(log);
  } catch (error) {
    throw fileProblem('--log', error);
  }
  const { problem } = log.summary;
  if (problem !== undefined) throw new UsageError({ where: '--log', message: problem });
  warnOfSkipped(log.summary, context);
  return answer;
}

/** The rules of decisions: those of the flag, or of the deployment that the state was read from. */
export const rulesOf = ({ flags }: Context, state: PermissionsState) => ({
  fidelity: flags.fidelity ?? state.fidelity,
});
