import { counted } from '../../../base/lib/counted.js';
import type { PermissionsState } from '../../../permissions/index.js';
import { type DecisionsOfLog, type LogSummary, readDecisions } from '../../../policy/decisions/index.js';
import type { Context } from '../shared/context.js';
import { warn } from '../shared/output.js';
import { fileProblem } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { showReading } from './progress.js';

/** The lines of a log that gave no decision, by reason, and the decisions that its writer dropped. */
export type LogGaps = Pick<LogSummary, 'skipped' | 'dropped'>;

/** Warns of the lines that gave no decision, by reason. */
function warnOfSkipped({ skipped, dropped }: LogGaps, { surroundings }: Context): void {
  for (const { reason, count, firstLine } of skipped) {
    warn(surroundings, `${counted(count, 'line')} of the log skipped (${reason}), the first is line ${firstLine}`);
  }
  if (dropped > 0) warn(surroundings, `${counted(dropped, 'decision')} dropped while the log was written`);
}

/**
 * Asks the decisions of a log, which may be a gzip file of several members, and shows on a terminal how much was read.
 * @throws UsageError if it cannot be read, or holds no decisions.
 */
export async function readLog<T>(
  context: Context,
  name: string,
  ask: (log: DecisionsOfLog) => Promise<T>,
): Promise<{ readonly answer: T; readonly gaps: LogGaps }> {
  const { inputs, surroundings } = context;
  const progress = showReading(surroundings, await inputs.size(name));
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of inputs.stream('--log', name)) {
      progress.add(chunk.length);
      yield chunk;
    }
  }
  const log = readDecisions(read());
  let answer: T;
  try {
    answer = await ask(log);
  } catch (error) {
    throw fileProblem('--log', error);
  } finally {
    progress.end();
  }
  const { problem, skipped, dropped } = log.summary;
  const gaps = { skipped, dropped };
  warnOfSkipped(gaps, context);
  if (problem !== undefined) throw new UsageError({ where: '--log', message: problem });
  return { answer, gaps };
}

/** The rules of decisions: those of the flag, or of the deployment that the state was read from. */
export const rulesOf = ({ flags }: Context, state: PermissionsState) => ({
  fidelity: flags.fidelity ?? state.fidelity,
});
